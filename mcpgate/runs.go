package mcpgate

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// maxRuns is how many runs of changed tools, and of calls that bring more than arguments, are kept
// for the next such call.
const maxRuns = 64

// runs are the runs of a relay at the gateway. A tool whose definition has changed has one
// of its own, so that no approval of the old definition holds for it.
type runs struct {
	name string
	mu   sync.Mutex
	uses int
	open map[string]*run // by what they are for; empty: the session itself
}

// run is one that was begun, or is about to be.
type run struct {
	id     string
	users  int // calls that are not over yet
	latest int // of runs.uses
}

// use notes a call in a run, until it leaves.
func (r *runs) use(about string) (of *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of = r.open[about]; of == nil {
		of = &run{}
		r.open[about] = of
	}
	r.uses++
	of.users++
	of.latest = r.uses
	return of
}

// leave ends the use of a run, and returns the id of the one that has to go now; empty: none.
func (r *runs) leave(of *run) (gone string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of.users--
	oldest := ""
	for about, other := range r.open {
		if about != "" && other.users == 0 && (oldest == "" || other.latest < r.open[oldest].latest) {
			oldest = about
		}
	}
	if oldest == "" || len(r.open) <= maxRuns {
		return ""
	}
	gone = r.open[oldest].id
	delete(r.open, oldest)
	return gone
}

// run is the id of the run for a changed tool, or for all others. The gateway returns the
// same run under the same name.
func (r *Relay) run(ctx context.Context, changed string) (string, error) {
	r.mu.Lock()
	about := cmp.Or(r.about, "an MCP client")
	r.mu.Unlock()
	of := r.runs.use(changed)
	defer r.left(of)
	r.runs.mu.Lock()
	id, name := of.id, r.runs.name
	r.runs.mu.Unlock()
	if id != "" {
		return id, nil
	}
	begins := client.RunOf{AgentID: r.o.AgentID, Client: about + " (MCP server " + r.o.Server + ")", Name: name, WorkingDirectory: r.o.Folder}
	if changed != "" {
		begins.Name, begins.Parent = name+" / "+label(changed), name
	}
	s, err := r.o.Gateway.BeginRun(ctx, begins)
	if err != nil {
		return "", err
	}
	r.runs.mu.Lock()
	defer r.runs.mu.Unlock()
	of.id = s.ID
	return s.ID, nil
}

// left ends the use of a run.
func (r *Relay) left(of *run) {
	if gone := r.runs.leave(of); gone != "" {
		ctx, stop := context.WithTimeout(context.Background(), endWithin)
		defer stop()
		_ = r.o.Gateway.EndRun(ctx, gone) // a gateway that can't be reached ends it itself after a time
	}
}

// forget has a run begun again that the gateway has ended, as it does after a time without
// a call.
func (r *Relay) forget(id string) {
	r.runs.mu.Lock()
	defer r.runs.mu.Unlock()
	for _, known := range r.runs.open {
		if known.id == id {
			known.id = ""
		}
	}
}

// end ends all runs. A gateway that can't be reached ends them itself after a time.
func (r *runs) end(ctx context.Context, gateway *client.Client) {
	ctx, stop := context.WithTimeout(ctx, endWithin)
	defer stop()
	r.mu.Lock()
	open := slices.Collect(maps.Values(r.open))
	r.mu.Unlock()
	for _, of := range open {
		if of.id != "" {
			_ = gateway.EndRun(ctx, of.id)
		}
	}
}

// label is a text as the gateway takes names, and not too long a one.
func label(text string) string {
	text = strings.Map(func(c rune) rune {
		if c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune(" ._@-:/+()", c)) {
			return c
		}
		return '_'
	}, text)
	return text[:min(len(text), 64)]
}

// remedy says what is wrong between the relay and its gateway, and what helps.
func remedy(err error) string {
	if p, told := errors.AsType[*client.Problem](err); told {
		if p.Status == http.StatusUnauthorized {
			return "Nothing runs, since the gateway does not know this token, or it has ended. Make one with: gateway tokens create NAME --role agent, and set LINECLEAR_TOKEN to it."
		}
		return "Nothing runs, since the gateway refuses to be asked: " + p.Error()
	}
	if _, away := errors.AsType[*net.OpError](err); away {
		return "Nothing runs, since the gateway can't be reached: start it with: gateway serve. (" + tool.Words(err) + ")"
	}
	return "Nothing runs: " + tool.Words(err)
}

// Refuse answers a client's requests with what is wrong, in words that it can show, until it
// ends.
func Refuse(ctx context.Context, c Conn, why error) error {
	for {
		raw, err := c.Read(ctx)
		if err != nil {
			return nil // it is gone
		}
		if m, err := read(raw); err == nil && m.isRequest() {
			if err := c.Write(ctx, errorTo(m.id, refusedByUs, "%s", remedy(why))); err != nil {
				return err
			}
		}
	}
}
