package gate

import (
	"context"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// shown is what a person is shown of the files that a call depends on: as they
// are, or, if this round was asked before, as they were then, so that asking
// again finds the same row.
func (t *Gated) shown(ctx context.Context, call *tool.Call, round int) (tool.Preview, error) {
	previewer, ok := t.inner.(tool.Previewer)
	if !ok {
		return tool.Preview{}, nil
	}
	rows, err := t.gate.asker.store.Find(ctx, approval.Query{SessionID: call.SessionID, ToolCallID: call.ID})
	if err != nil {
		return tool.Preview{}, err
	}
	asked := newestRound(rows)
	if asked != nil && asked.Round >= round {
		return asked.Preview, nil
	}
	return preview(ctx, previewer, call)
}

// newestRound is the row of a call's newest round, whatever the clock has done;
// nil of no rows.
func newestRound(rows []approval.Approval) (newest *approval.Approval) {
	for i := range rows {
		if newest == nil || rows[i].Round > newest.Round {
			newest = &rows[i]
		}
	}
	return newest
}

// asShown is ErrStale where the tool, or what a person was shown of a call's
// files, is not what it is now. Where the arguments were changed, it is still
// about the file that was shown.
func (t *Gated) asShown(ctx context.Context, row *approval.Approval, call *tool.Call) error {
	if now, gone := t.now(ctx, call.SessionID); gone != nil || now.digest != row.ToolDigest {
		return approval.ErrStale
	}
	previewer, ok := t.inner.(tool.Previewer)
	if !ok {
		return nil
	}
	now, err := preview(ctx, previewer, call)
	if err == nil && now.FileHash != row.Preview.FileHash {
		err = approval.ErrStale
	}
	return err
}

// preview asks the tool; one that fails or panics shows nothing, and the call is
// not asked for.
func preview(ctx context.Context, p tool.Previewer, call *tool.Call) (shown tool.Preview, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("gate: preview of %s: %v", call.Tool, fault)
		}
	}()
	return p.Preview(ctx, *call)
}
