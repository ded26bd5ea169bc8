package door

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// maxRanText is how many bytes of a result's text are shown with its request. The journal has all of it.
const maxRanText = 4 << 10

// ran returns the result of a call; nil if it was not started, and for a question.
func (d *Door) ran(ctx context.Context, a approval.Approval) (*approval.Ran, error) {
	if a.Run != approval.RunClaimed && a.Run != approval.RunFinished || a.ClaimedAt.IsZero() && a.ResultSeq == 0 {
		return nil, nil
	}
	r := &approval.Ran{StartedAt: a.ClaimedAt}
	if a.ResultSeq == 0 {
		return r, nil
	}
	events, err := d.Events(ctx, a.SessionID, a.ResultSeq-1, 1)
	if err != nil {
		return nil, fmt.Errorf("door: result: %w", err)
	}
	var told session.ToolResult
	if len(events) != 1 || events[0].Type != session.TypeToolResult {
		return nil, fmt.Errorf("door: result: event %d of %s is not there", a.ResultSeq, a.SessionID)
	}
	if err := events[0].Decode(&told); err != nil {
		return nil, err
	}
	result := told.Result
	r.FinishedAt, r.IsError, r.Unreported, r.Images = events[0].At, result.IsError, result.Unreported, len(result.Images)
	r.Text = result.Text
	if len(r.Text) > maxRanText {
		r.Text = strings.ToValidUTF8(r.Text[:maxRanText], "")
		r.Omitted = len(result.Text) - len(r.Text)
	}
	var command struct {
		ExitCode *int64 `json:"exitCode"`
	}
	if json.Unmarshal(result.Structured, &command) == nil {
		r.ExitCode = command.ExitCode
	}
	return r, nil
}

// whole returns a row with its call's result.
func (d *Door) whole(ctx context.Context, who auth.Identity, a approval.Approval) (OwnAnswer, error) {
	v := d.ownAnswer(who, a)
	var err error
	v.Ran, err = d.ran(ctx, a)
	return v, err
}
