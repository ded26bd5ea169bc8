package metrics

import (
	"cmp"
	"encoding/hex"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/internal/trace"
	"github.com/lineclear/lineclear/session"
)

// asked is what has to be known of a request until it is answered.
type asked struct {
	ApprovalID  string        `json:"approvalId"`
	AgentID     string        `json:"agentId"`
	Type        approval.Type `json:"type"`
	RequestedAt time.Time     `json:"requestedAt"`
	Traceparent string        `json:"traceparent"`
}

// answer is what is counted of one.
type answer struct {
	ApprovalID string          `json:"approvalId"`
	Status     approval.Status `json:"status"`
	Reason     approval.Reason `json:"reason"`
	By         approval.By     `json:"by"`
	At         time.Time       `json:"at"`
}

// Inline is what listens to the bus: to the journal, which has every request and
// every answer, and to what is put before people.
func (m *Metrics) Inline() []bus.Inline {
	return []bus.Inline{session.Events.Inline(m.journaled), approval.Requests.Inline(m.put)}
}

// Remember takes requests for waiting that have waited since before the process
// began.
func (m *Metrics) Remember(pending []approval.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range pending {
		m.waiting[r.ApprovalID] = about(r)
	}
}

func about(r approval.Request) asked {
	return asked{ApprovalID: r.ApprovalID, AgentID: r.AgentID, Type: r.Type, RequestedAt: r.RequestedAt, Traceparent: r.Traceparent}
}

func (m *Metrics) pending() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return float64(len(m.waiting))
}

// oldest is how long the oldest request waits.
func (m *Metrics) oldest() (seconds float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for _, r := range m.waiting {
		seconds = max(seconds, now.Sub(r.RequestedAt).Seconds())
	}
	return seconds
}

// journaled reads of requests and answers alone.
func (m *Metrics) journaled(e session.Event) {
	var a answer
	switch e.Type {
	case session.TypeApprovalRequested:
		var r asked
		if e.Decode(&r) == nil { // what can't be read is no fault of the journal's, and is not counted
			m.mu.Lock()
			m.fresh[r.ApprovalID] = r
			m.mu.Unlock()
		}
	case session.TypeApprovalResolved:
		if e.Decode(&a) == nil {
			m.answered(a)
		}
	case session.TypeApprovalVoided:
		// Of one that was approved it is no answer, but that it will not run.
		if e.Decode(&a) == nil && m.waits(a.ApprovalID) {
			m.answered(a)
		}
	default:
	}
}

func (m *Metrics) waits(approvalID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.waiting[approvalID]
	return ok
}

// put counts a request that is put before people.
func (m *Metrics) put(r approval.Request) {
	m.mu.Lock()
	delete(m.fresh, r.ApprovalID)
	m.waiting[r.ApprovalID] = about(r)
	m.mu.Unlock()
	m.request(about(r), "asked")
}

func (m *Metrics) request(r asked, outcome string) {
	types := []string{string(approval.ToolConfirmation), string(approval.Elicitation), string(approval.Custom)}
	m.requests.WithLabelValues(oneOf(m.agents, r.AgentID), oneOf(types, string(r.Type)), outcome).Inc()
}

// answered counts an answer, and a request that was settled without asking.
func (m *Metrics) answered(a answer) {
	m.mu.Lock()
	settled, atOnce := m.fresh[a.ApprovalID]
	waited, known := m.waiting[a.ApprovalID]
	delete(m.fresh, a.ApprovalID)
	delete(m.waiting, a.ApprovalID)
	m.mu.Unlock()
	if atOnce {
		m.request(settled, outcomeOf(a.Status))
	}
	if known && byPerson(a) {
		observe(m.answers, a.At.Sub(waited.RequestedAt).Seconds(), m.exemplar(waited))
	}
	if atOnce {
		waited = settled
	}
	add(m.decisions.WithLabelValues(
		oneOf([]string{string(approval.Approved), string(approval.Denied), string(approval.Cancelled)}, string(a.Status)),
		oneOf(reasons(), cmp.Or(string(a.Reason), none)), oneOf(approval.Vias, a.By.Via)), m.exemplar(waited))
}

// exemplar names the trace of a request; nil where there is none.
func (m *Metrics) exemplar(r asked) prometheus.Labels {
	if r.ApprovalID == "" || !m.traced && trace.Clean(r.Traceparent) == "" {
		return nil
	}
	span := trace.Of(r.Traceparent, trace.Waiting, r.ApprovalID)
	if span.Unwanted {
		return nil
	}
	return prometheus.Labels{"trace_id": hex.EncodeToString(span.Trace[:])}
}

func observe(h prometheus.Histogram, v float64, exemplar prometheus.Labels) {
	if with, ok := h.(prometheus.ExemplarObserver); ok {
		with.ObserveWithExemplar(v, exemplar)
	}
}

func add(c prometheus.Counter, exemplar prometheus.Labels) {
	if with, ok := c.(prometheus.ExemplarAdder); ok {
		with.AddWithExemplar(1, exemplar)
	}
}

// outcomeOf is what became of a request about which nobody was asked.
func outcomeOf(s approval.Status) string {
	switch s {
	case approval.Approved:
		return "allowed"
	case approval.Denied:
		return "denied"
	case approval.Cancelled:
		return "cancelled"
	case approval.Pending:
		fallthrough
	default:
		return other
	}
}

func byPerson(a answer) bool {
	switch a.By.Via {
	case "policy", "system", approval.ViaGrant:
		return false
	default:
		return a.Reason != approval.Timeout && a.Reason != approval.AskerGone
	}
}

// none is the reason of an approval.
const none = "none"

func reasons() []string {
	all := []string{none}
	for _, r := range []approval.Reason{
		approval.UserDenied, approval.PolicyDenied, approval.Timeout, approval.UserCancelled, approval.SystemCancelled,
		approval.Superseded, approval.ValidationFailed, approval.NoHandler, approval.HandlerFailed, approval.TooManyPending,
		approval.AskerGone, approval.Halted, approval.Observed,
	} {
		all = append(all, string(r))
	}
	return all
}
