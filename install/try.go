package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lineclear/lineclear/internal/canary"
)

// ErrNotHeld is returned if a denied call was not seen to be blocked.
var ErrNotHeld = errors.New("the denial was not seen to hold")

// patience is how long one run of an agent may take.
const patience = 2 * time.Minute

// outcome is what came of one call of a real agent.
type outcome struct {
	ran     bool
	results []string
	asked   int64  // how often the gateway was
	why     string // there is no result
}

// String says what was seen.
func (o outcome) String() string {
	switch {
	case o.ran:
		return "the call ran"
	case len(o.results) == 0:
		return "no result reached the model: " + o.why
	default:
		return fmt.Sprintf("the model was told %q", strings.Join(o.results, "\n"))
	}
}

// trial is where an agent makes its call.
type trial struct {
	program string
	home    string // empty: the user's own
	folder  string // fresh
	env     []string
	gateway *standIn
}

// try lets the agent make its call, which leaves a file if it runs.
func (a Agent) try(ctx context.Context, t trial) (outcome, error) {
	p, known := canary.Of(a.Name)
	if !known {
		return outcome{}, fmt.Errorf("%s: %w", a.Title, ErrNoProgram)
	}
	model, err := canary.Serve(p.Shell("echo ran > marker"))
	if err != nil {
		return outcome{}, err
	}
	bounded, stop := context.WithTimeout(ctx, patience)
	defer stop()
	said, err := p.Try(bounded, canary.Run{
		Path: t.program, Model: model, Folder: t.folder, Home: t.home, Env: t.env,
	})
	_, missing := os.Stat(filepath.Join(t.folder, "marker"))
	o := outcome{ran: missing == nil, results: model.Results(), asked: t.gateway.asked.Load()}
	switch {
	case len(model.Missing()) > 0:
		o.why = strings.Join(model.Missing(), "; ")
	case err != nil:
		o.why = fmt.Sprintf("%s ended with %v: %s", p.Name, err, lastLine(said))
	case model.Asked() == 0:
		o.why = p.Name + " did not ask the model: " + lastLine(said)
	default:
		o.why = lastLine(said)
	}
	return o, errors.Join(ctx.Err(), model.Close())
}

func lastLine(said []byte) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return lines[len(lines)-1]
}

// prove has the agent make a call that is denied with a reason. The proof holds if the call did not run,
// the hook asked, and the model was told the reason.
func (a Agent) prove(ctx context.Context, t trial, reason string) error {
	o, err := a.try(ctx, t)
	switch {
	case err != nil:
		return err
	case o.asked == 0:
		return fmt.Errorf("%w: the hook did not ask, and %s", ErrNotHeld, o)
	case o.ran || !strings.Contains(strings.Join(o.results, "\n"), reason):
		return fmt.Errorf("%w: %s", ErrNotHeld, o)
	}
	return nil
}

// temporary is a fresh folder.
func temporary() (folder string, remove func() error, err error) {
	folder, err = os.MkdirTemp("", "lineclear-canary-")
	return folder, func() error { return os.RemoveAll(folder) }, err
}
