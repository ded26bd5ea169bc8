package httpapi

import (
	"context"
	"encoding/csv"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/internal/mask"
)

const (
	csvType   = "text/csv"
	linesType = "application/jsonl"
)

// export streams the requests that a search finds, newest first, a page at a time. If it fails midway
// the connection breaks off, so that nobody takes the file for complete.
func (s *Server) export(c *call) error {
	q, err := c.search()
	if err != nil {
		return err
	}
	form := c.query("format")
	if form != "csv" && form != "jsonl" {
		return invalid("format: want csv or jsonl, not %q", form)
	}
	leave, ok := s.limits.exporting.Take(c.who)
	if !ok {
		return errTooMany("an export with this login or token is under way already")
	}
	defer leave()
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer context.AfterFunc(s.Closing, cancel)()
	q.Limit = maxPage
	page, err := s.exported(ctx, c, q)
	if err != nil {
		return err
	}
	out := newDownload(c, form)
	for {
		for _, a := range page.Approvals {
			out.add(a)
		}
		out.flush()
		if page.Next == "" && out.broken == nil {
			return nil
		}
		if q.Before = page.Next; out.broken == nil {
			page, out.broken = s.exported(ctx, c, q)
		}
		if out.broken != nil {
			s.log.Warn("an export broke off", append(s.about(c.r), zap.Error(out.broken))...)
			panic(http.ErrAbortHandler)
		}
	}
}

// exported reads the next page. Only one export at a time reads a page.
func (s *Server) exported(ctx context.Context, c *call, q approval.Search) (door.Page, error) {
	select {
	case s.limits.exports <- struct{}{}:
		defer func() { <-s.limits.exports }()
	case <-ctx.Done():
		return door.Page{}, context.Cause(ctx)
	}
	return s.Door.Search(ctx, c.who, q)
}

// download is a file that is being sent, until a write fails.
type download struct {
	w       http.ResponseWriter
	control *http.ResponseController
	table   *csv.Writer // nil: JSON lines
	broken  error
}

func newDownload(c *call, form string) *download {
	d := &download{w: c.w, control: http.NewResponseController(c.w)}
	// Only the writes have deadlines.
	_ = d.control.SetReadDeadline(time.Time{})
	h := c.w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Disposition", `attachment; filename="lineclear-approvals.`+form+`"`)
	if form == "jsonl" {
		h.Set("Content-Type", linesType)
		return d
	}
	h.Set("Content-Type", csvType+"; charset=utf-8")
	d.table = csv.NewWriter(c.w)
	d.row(csvHead())
	return d
}

func (d *download) add(a door.Approval) {
	if d.table != nil {
		d.row(csvRow(a))
		return
	}
	line, err := json.Marshal(a, json.Deterministic(true))
	if err == nil && d.patient() {
		_, err = d.w.Write(append(line, '\n'))
	}
	d.breaks(err)
}

func (d *download) row(cells []string) {
	if d.patient() {
		d.breaks(d.table.Write(cells))
	}
}

// patient extends the deadline for the next write, and reports whether none has failed so far.
func (d *download) patient() bool {
	_ = d.control.SetWriteDeadline(time.Now().Add(patience))
	return d.broken == nil
}

func (d *download) breaks(err error) {
	if d.broken == nil {
		d.broken = err
	}
}

func (d *download) flush() {
	if d.table != nil {
		d.table.Flush()
		d.breaks(d.table.Error())
	}
	if d.patient() {
		d.breaks(d.control.Flush())
	}
}

// csvColumns are the columns of an export as CSV.
var csvColumns = []struct {
	name string
	of   func(a door.Approval, r door.Response) string
}{
	{"requestedAt", func(a door.Approval, _ door.Response) string { return stamp(a.RequestedAt) }},
	{"agent", func(a door.Approval, _ door.Response) string { return a.AgentID }},
	{"client", func(a door.Approval, _ door.Response) string { return a.Origin.Client }},
	{"type", func(a door.Approval, _ door.Response) string { return string(a.Type) }},
	{"tool", func(a door.Approval, _ door.Response) string { return a.ToolName }},
	{"arguments", func(a door.Approval, _ door.Response) string { return string(a.Args) }},
	{"question", func(a door.Approval, _ door.Response) string { return a.Request.Message }},
	{"folder", func(a door.Approval, _ door.Response) string { return a.WorkingDirectory }},
	{"risk", func(a door.Approval, _ door.Response) string { return string(a.Risk.Level) }},
	{"outcome", func(a door.Approval, _ door.Response) string { return string(a.Outcome) }},
	{"status", func(a door.Approval, _ door.Response) string { return string(a.Status) }},
	{"reason", func(_ door.Approval, r door.Response) string { return string(r.Reason) }},
	{"by", func(_ door.Approval, r door.Response) string { return r.By.Subject }},
	{"via", func(_ door.Approval, r door.Response) string { return string(r.By.Via) }},
	{"answeredAt", func(_ door.Approval, r door.Response) string { return stamp(r.At) }},
	{"seconds", func(a door.Approval, r door.Response) string { return seconds(a.RequestedAt, r.At) }},
	{"scope", func(_ door.Approval, r door.Response) string { return string(r.Scope) }},
	{"message", func(_ door.Approval, r door.Response) string { return r.Message }},
	{"edit", func(_ door.Approval, r door.Response) string { return string(r.Edit) }},
	{"withdrawnBy", func(a door.Approval, _ door.Response) string {
		if a.Voided == nil {
			return ""
		}
		return a.Voided.By.Subject
	}},
	{"rule", func(a door.Approval, _ door.Response) string { return a.Policy.Rule }},
	{"run", func(a door.Approval, _ door.Response) string { return string(a.Run) }},
	{"session", func(a door.Approval, _ door.Response) string { return a.SessionID }},
	{"approval", func(a door.Approval, _ door.Response) string { return a.ApprovalID }},
}

func csvHead() []string {
	names := make([]string, len(csvColumns))
	for i, column := range csvColumns {
		names[i] = column.name
	}
	return names
}

func csvRow(a door.Approval) []string {
	var r door.Response
	if a.Response != nil {
		r = *a.Response
	}
	cells := make([]string, len(csvColumns))
	for i, column := range csvColumns {
		cells[i] = column.of(a, r)
		if column.name != "seconds" { // a number, and negative if a clock was set back
			cells[i] = mask.Cell(cells[i])
		}
	}
	return cells
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

func seconds(from, to time.Time) string {
	if to.IsZero() {
		return ""
	}
	return strconv.FormatFloat(to.Sub(from).Seconds(), 'f', -1, 64)
}
