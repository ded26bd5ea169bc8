// Package otlp sends spans of what happens to a collector (OpenTelemetry, OTLP over HTTP, as JSON).
//
// # What it promises
//
//   - Nothing waits for it: events go into a bounded queue, and what does not fit is dropped and counted. It
//     reads the journal and the rows after their change is durable.
//   - Spans have ids, names, outcomes, reasons and numbers. No argument, no word of a person or a model, no
//     name of a person.
//   - Ids are those of internal/trace, so a span keeps its id over a restart.
//
// # How to use it
//
// New makes an Exporter. Give its Inline to the bus, tell it by Read where to read, then call Run, which sends until its
// context ends, and what is left once more.
package otlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
)

// Options say where spans go.
type Options struct {
	Endpoint string            // such as http://127.0.0.1:4318/v1/traces
	Headers  map[string]string // of every request
	Version  string            // of the gateway
	Mine     func() bool       // false where another process sends the spans of what happens; nil: always true

	Count  func(o Outcome, spans int) // called with what became of spans; nil disables it
	Failed func(error)                // called when the collector begins to fail; nil disables it
}

// Outcome is what became of spans.
type Outcome string

// The outcomes.
const (
	Sent    Outcome = "sent"
	Dropped Outcome = "dropped" // the queue was full
	Refused Outcome = "refused" // by the collector
)

// Outcomes are all of them.
func Outcomes() []Outcome { return []Outcome{Sent, Dropped, Refused} }

const (
	maxEvents = 4096 // queued before spans are made of them
	maxSpans  = 4096 // queued before they are sent
	perSend   = 512

	sendEvery  = time.Second
	sendWithin = 10 * time.Second
	lastWithin = 2 * time.Second // for what is left at the end
	maxRest    = 60              // seconds between attempts while the collector fails

	maxAnswer = 64 << 10 // bytes that are read of an answer
)

// Journal is where sessions are read.
type Journal interface {
	Head(ctx context.Context, id string) (session.Session, error)
	Events(ctx context.Context, id string, after int64, limit int) ([]session.Event, error)
}

// Rows is where requests are read.
type Rows interface {
	Get(ctx context.Context, approvalID string) (approval.Approval, error)
}

// Exporter makes spans and sends them.
type Exporter struct {
	options Options
	client  *http.Client
	journal Journal
	rows    Rows
	events  chan session.Event

	// What follows belongs to Run.
	turns       map[string]*turn // the open ones, by session
	spans       []span
	rest, still int // while the collector fails: seconds between attempts, and until the next
}

// New makes an Exporter.
func New(o Options) *Exporter {
	if o.Count == nil {
		o.Count = func(Outcome, int) {}
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	return &Exporter{
		options: o, events: make(chan session.Event, maxEvents), turns: map[string]*turn{},
		client: &http.Client{Timeout: sendWithin, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// Inline is what listens to the bus. It only puts events into the queue.
func (x *Exporter) Inline() bus.Inline {
	return session.Events.Inline(func(e session.Event) {
		switch e.Type {
		case session.TypeTurnStarted, session.TypeTurnFinished, session.TypeAssistantMessage, session.TypeToolResult, session.TypeApprovalResolved:
		default:
			return
		}
		if x.options.Mine != nil && !x.options.Mine() {
			return
		}
		select {
		case x.events <- e:
		default:
			x.options.Count(Dropped, 1)
		}
	})
}

// Read sets where it reads. It has to come before Run.
func (x *Exporter) Read(j Journal, r Rows) { x.journal, x.rows = j, r }

// Run makes and sends spans until ctx ends, and then once more.
func (x *Exporter) Run(ctx context.Context) error {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for {
		select {
		case e := <-x.events:
			x.take(ctx, e)
			if len(x.spans) >= perSend && x.rest == 0 {
				x.send(ctx)
			}
		case <-tick.C:
			if x.still--; x.still < 0 {
				x.send(ctx)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWithin)
			defer cancel()
			x.drain(last)
			return ctx.Err()
		}
	}
}

// drain makes and sends what is left.
func (x *Exporter) drain(ctx context.Context) {
	for {
		select {
		case e := <-x.events:
			x.take(ctx, e)
		default:
			for left := len(x.spans) + 1; len(x.spans) > 0 && len(x.spans) < left; {
				left = len(x.spans)
				x.send(ctx)
			}
			x.options.Count(Dropped, len(x.spans))
			return
		}
	}
}

// add queues a span. If the queue is full, it drops the oldest one.
func (x *Exporter) add(s span) {
	if s.Unwanted {
		return
	}
	if len(x.spans) >= maxSpans {
		x.spans = x.spans[1:]
		x.options.Count(Dropped, 1)
	}
	x.spans = append(x.spans, s)
}

// errAgain means that the same spans may be sent again later.
var errAgain = errors.New("otlp: the collector is not ready")

// send sends the oldest spans. It keeps them if the collector can't take them now.
func (x *Exporter) send(ctx context.Context) {
	some := x.spans[:min(len(x.spans), perSend)]
	if len(some) == 0 {
		return
	}
	rejected, err := x.post(ctx, some)
	if errors.Is(err, errAgain) {
		if x.rest == 0 {
			x.options.Failed(err)
		}
		x.rest = min(max(1, 2*x.rest), maxRest)
		x.still = x.rest
		return
	}
	if err != nil {
		x.options.Failed(err)
		rejected = len(some)
	}
	x.rest, x.still = 0, 0
	x.options.Count(Sent, len(some)-rejected)
	x.options.Count(Refused, rejected)
	x.spans = append([]span(nil), x.spans[len(some):]...)
}

func (x *Exporter) post(ctx context.Context, some []span) (rejected int, err error) {
	body, err := json.Marshal(x.request(some))
	if err != nil {
		return 0, fmt.Errorf("otlp: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.options.Endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("otlp: %w", err)
	}
	for name, value := range x.options.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := x.client.Do(r)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errAgain, err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // only a whole one says what was rejected
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return 0, fmt.Errorf("%w: %s", errAgain, answer.Status)
	}
	if answer.StatusCode/100 != 2 {
		return 0, fmt.Errorf("otlp: the collector answers %s", answer.Status)
	}
	return min(rejectedOf(raw), len(some)), nil
}
