package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// ShowOptions say how a request is written; the zero value is as it is, in
// lines as long as they are.
type ShowOptions struct {
	Secrets *mask.Secrets // masked in what is written; nil: nothing is
	Width   int           // longer lines are broken, with a mark; 0: none is
	Now     time.Time     // what the deadline is counted from; zero: the clock's
	Over    bool          // it waits no more: nothing is said of how long
}

// Show writes the whole request: who asks for what and where, every argument
// in full, why it is asked and how long it waits. Hidden characters are written
// out. Lines that come from the request's texts begin with a bar, so that no
// text can pass for something that Show says.
func Show(w io.Writer, r approval.Request, o ShowOptions) error {
	p := &page{secrets: o.Secrets, width: o.Width}
	p.request(r, o)
	text := p.text.String()
	if _, err := io.WriteString(w, text[:p.risk.from]); err != nil {
		return err
	}
	if err := WriteRisk(w, r.Risk.Level, text[p.risk.from:p.risk.to]); err != nil {
		return err
	}
	_, err := io.WriteString(w, text[p.risk.to:])
	return err
}

func (p *page) request(r approval.Request, o ShowOptions) {
	if !o.Over {
		p.line(0, heading(r))
	}
	p.row("agent", who(r))
	p.row("program", r.Origin.Client)
	p.row("tool", r.ToolName)
	p.row("in", r.WorkingDirectory)
	p.row("message", r.Message)
	p.risk.from = p.text.Len()
	p.row("risk", riskOf(r.Risk))
	p.risk.to = p.text.Len()
	for _, reason := range r.Risk.Reasons {
		p.row("", reason)
	}
	p.row("because", r.Policy.Rule)
	for _, step := range r.Policy.Trace {
		p.row("", step)
	}
	if r.Round > 0 {
		p.row("again", fmt.Sprintf("this call was asked %d times before", r.Round))
	}
	p.row("file now", r.Preview.FileHash)
	p.row("change", changeOf(r.Preview))
	p.row("sandbox", sandboxOf(r.Sandbox))
	for _, a := range r.Approvers {
		p.row("only by", a.Words())
	}
	if len(r.Approvers) > 0 {
		p.row("asked by", strings.Join(r.Senders(), ", "))
	}
	if !o.Over {
		p.row("answer", deadline(r, o.Now))
	}
	p.row("id", r.ApprovalID)
	if len(r.Metadata) > 0 {
		data, err := json.Marshal(r.Metadata, json.Deterministic(true))
		if err == nil {
			p.document("metadata", data)
		}
	}
	if len(r.Args) > 0 || r.Type != approval.Elicitation {
		p.document("arguments", r.Args)
	}
	if r.Type == approval.Elicitation {
		p.document("form", r.Schema)
	} else {
		p.covers(r)
	}
	if r.CutOff {
		p.line(0, "")
		p.line(2, "! the model's reply was cut off; calls may be missing")
	}
	p.warnings(r.Misleading)
}

func heading(r approval.Request) string {
	switch r.Type {
	case approval.Elicitation:
		return "A question waits for your answer."
	case approval.Custom:
		return "A decision waits for you."
	case approval.ToolConfirmation:
		return "A tool call waits for your approval."
	default:
		return "Something of an unknown kind waits for your approval."
	}
}

// who names the agent, a sub-agent with those above it.
func who(r approval.Request) string {
	if r.Origin.Parent == "" || r.Origin.Parent == r.AgentID {
		return r.AgentID
	}
	return r.AgentID + " (" + r.Origin.Parent + ")"
}

// changeOf says how many lines a call changes in a file; empty if none.
func changeOf(p tool.Preview) string {
	if p.Added+p.Removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%d -%d lines", p.Added, p.Removed)
}

// sandboxOf says what a command can reach; nothing of a tool that runs none.
func sandboxOf(s tool.Sandbox) string {
	network := "no network"
	if s.Network {
		network = "with the network"
	}
	switch s.Kind {
	case "":
		return ""
	case tool.Unconfined:
		return "none: it runs with everything that the gateway's account may do"
	case tool.Bubblewrap:
		return "bubblewrap, " + network + ", writes to " + strings.Join(s.Write, ", ")
	default:
		return string(s.Kind) + ", " + network
	}
}

func riskOf(r approval.Risk) string {
	if r.Level == "" && len(r.Reasons) > 0 {
		return "not known"
	}
	return string(r.Level)
}

func deadline(r approval.Request, now time.Time) string {
	if r.ExpiresAt.IsZero() {
		return "no deadline: it waits until somebody answers"
	}
	if now.IsZero() {
		now = time.Now()
	}
	at := r.ExpiresAt.In(now.Location()).Format("15:04:05 MST")
	left := r.ExpiresAt.Sub(now).Truncate(time.Second)
	if left <= 0 {
		return "too late: it was denied at " + at
	}
	return fmt.Sprintf("within %s, until %s; then it is denied", left, at)
}

// offered lists what an approval for the session may remember, from narrow to
// wide; nothing when there can be none.
func offered(r approval.Request) []approval.Coverage {
	if !slices.Contains(r.Scopes, approval.Session) && !slices.Contains(r.Scopes, approval.Always) {
		return nil
	}
	if len(r.Covers) == 0 {
		return []approval.Coverage{approval.Exactly()}
	}
	return r.Covers
}

func (p *page) covers(r approval.Request) {
	offers := offered(r)
	p.line(0, "")
	if len(offers) == 0 {
		p.row("covers", "this call, once")
		return
	}
	p.row("covers", "this call, once; or for the session:")
	p.offers(offers)
}

func (p *page) offers(offers []approval.Coverage) {
	for i, c := range offers {
		p.entry(4, fmt.Sprintf("%d", i+1), c.Text)
		for _, pattern := range c.Command {
			p.entry(6, "command", pattern)
		}
		for _, folder := range c.Paths {
			p.entry(6, "in", folder)
		}
	}
}

// warnings says what is not what it looks like, and that something is masked.
func (p *page) warnings(misleading []string) {
	if len(misleading) > 0 {
		p.line(0, "")
		p.line(2, "! misleading characters:")
		for _, what := range misleading {
			p.block(4, what)
		}
	}
	if p.masked {
		p.line(0, "")
		p.line(2, "Secrets are shown as "+mask.Mark+"; what runs has them.")
	}
}

// document writes a JSON text under a title.
func (p *page) document(title string, v tool.JSON) {
	v, found := p.secrets.JSON(v)
	p.masked = p.masked || found
	p.line(0, "")
	if short := strings.Join(strings.Fields(string(v)), ""); short == "" || short == "{}" {
		p.row(title, "none")
		return
	}
	p.line(2, title)
	p.json(v, 4)
}
