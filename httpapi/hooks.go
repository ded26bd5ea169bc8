package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/tool"
)

// hookPath is for the http hook of Claude Code, which runs the call after every answer but a
// denial in JSON with 200. So it stands in front of everything else, and asks the API as the
// agent would that has the token: whatever comes of that, the answer is one that is understood.
const hookPath = "/hooks/claude-code"

// hookWait is how long a hook waits at most.
const hookWait = 10 * time.Minute

// hookFailed is the answer where none can be made.
const hookFailed = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked: the gateway failed"}}`

// hooked answers the hook, and passes on everything else.
func (s *Server) hooked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != hookPath {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", jsonType)
		w.Header().Set("Cache-Control", "no-store")
		control := http.NewResponseController(w)
		agent, _ := hook.Of("claude-code")
		call, outcome := hook.Call{Event: "PreToolUse"}, hook.Outcome{}
		defer func() {
			if fault := recover(); fault != nil {
				s.log.Error("a hook failed", append(s.about(r), zap.Any("fault", fault))...)
				_, _ = w.Write([]byte(hookFailed))
			}
		}()
		in := inner{s, next, r}
		raw, err := in.body(w)
		if err == nil {
			_ = control.SetReadDeadline(time.Time{})
			_ = control.SetWriteDeadline(time.Now().Add(hookWait + 2*patience))
			var read hook.Call
			if read, err = agent.Read(raw); err == nil { // a denial names the event in any case
				call = read
			}
		}
		if err == nil {
			outcome, err = in.clear(agent, call)
		}
		if err != nil {
			outcome = hook.Outcome{Reason: "Blocked: " + tool.Words(err)}
			s.log.Warn("a hook's call was blocked", append(s.about(r), zap.Error(err))...)
		}
		answer := []byte("{}")
		if !call.After {
			if answer, err = agent.Answer(call, outcome); err != nil {
				answer = []byte(hookFailed)
			}
		}
		_, _ = w.Write(answer) // who has gone away runs nothing
	})
}

// inner asks the API with the credentials of a request.
type inner struct {
	s   *Server
	api http.Handler
	of  *http.Request
}

// body is what the agent has sent, once it has shown who it is.
func (i inner) body(w http.ResponseWriter) ([]byte, error) {
	if i.of.Method != http.MethodPost {
		return nil, errors.New("a hook is sent by POST")
	}
	if err := i.ask(http.MethodGet, "/api/me", nil, "", nil); err != nil {
		return nil, err
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	return io.ReadAll(http.MaxBytesReader(w, i.of.Body, hook.MaxInput))
}

// ask sends a request to the API; an answer that is no success is an error with its words.
func (i inner) ask(method, path string, body any, key string, into any) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the gateway failed: %v", fault)
		}
	}()
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		raw = nil
	}
	r := i.of.Clone(i.of.Context())
	r.Method, r.RequestURI, r.Body, r.ContentLength = method, path, io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	if r.URL, err = url.Parse(path); err != nil {
		return err
	}
	r.Header.Del("Idempotency-Key")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := &kept{header: http.Header{}, status: http.StatusOK}
	i.api.ServeHTTP(w, r)
	if w.status == http.StatusTooManyRequests {
		i.s.pause(i.of)
	}
	if w.status >= http.StatusMultipleChoices {
		var p problem
		_ = json.Unmarshal(w.body.Bytes(), &p) // then there is the status
		return fmt.Errorf("the gateway refused: %d %s", w.status, p.Detail)
	}
	if into == nil || w.body.Len() == 0 {
		return nil
	}
	return json.Unmarshal(w.body.Bytes(), into)
}

// kept is an answer that is kept in memory.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader implements http.ResponseWriter.
func (k *kept) WriteHeader(status int) { k.status = status }

// Write implements http.ResponseWriter.
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }

// clear asks about a call, waits, and takes the right to run it; after a call it reports.
func (i inner) clear(a hook.Agent, call hook.Call) (hook.Outcome, error) {
	if call.After {
		return hook.Outcome{}, i.report(call)
	}
	agentID := i.of.URL.Query().Get("agent")
	var run door.Session
	if err := i.ask(http.MethodPost, "/api/runs", runBody{AgentID: agentID, Client: a.Name, Name: call.Session, WorkingDirectory: call.Directory}, "", &run); err != nil {
		return hook.Outcome{}, err
	}
	body := askBody{SessionID: run.ID, Client: a.Name, ToolName: call.Tool, Args: call.Args, WorkingDirectory: call.Directory, Editable: true, ExpiresIn: hookWait.String()}
	if call.SubAgent != "" {
		body.Metadata = map[string]string{"sub-agent": call.SubAgent}
	}
	const wait = "?wait=60s"
	var row door.Approval
	if err := i.ask(http.MethodPost, "/api/approvals"+wait, body, call.ID, &row); err != nil {
		return hook.Outcome{}, err
	}
	path := "/api/approvals/" + url.PathEscape(row.ApprovalID)
	for row.Status == approval.Pending {
		if err := context.Cause(i.of.Context()); err != nil {
			return hook.Outcome{}, err
		}
		if err := i.ask(http.MethodGet, path+wait, nil, "", &row); err != nil {
			return hook.Outcome{}, err
		}
		if row.Status == approval.Pending && i.s.Closing.Err() != nil {
			return hook.Outcome{}, errors.New("the gateway is stopping")
		}
	}
	if row.Status != approval.Approved {
		return hook.Outcome{Reason: row.Explain()}, nil
	}
	var claimed door.Claimed
	if err := i.ask(http.MethodPost, path+"/claim", nil, "", &claimed); err != nil {
		return hook.Outcome{}, err
	}
	by := ""
	if row.Response != nil {
		by = row.Response.By.Subject
	}
	return hook.Approved(call, claimed.Args, by)
}

func (i inner) report(call hook.Call) error {
	if call.ID == "" {
		return nil
	}
	var rows approvalsBody
	if err := i.ask(http.MethodGet, "/api/approvals?idempotencyKey="+url.QueryEscape(call.ID), nil, "", &rows); err != nil {
		return err
	}
	for _, row := range rows.Approvals {
		if row.Run == approval.RunClaimed && row.Origin.Run == call.Session && row.ToolName == call.Tool {
			return i.ask(http.MethodPost, "/api/approvals/"+url.PathEscape(row.ApprovalID)+"/result", call.Result, "", nil)
		}
	}
	return nil
}
