// Package metrics counts what a gateway does, for Prometheus.
//
// # What it promises
//
//   - It has a registry of its own; nothing global is registered or read.
//   - Labels have few values: agents are those of the configuration and "other",
//     words are those that it knows and "other". No id, tool, person or address
//     is one.
//   - OpenMetrics, where it is asked for, has the same names. Exemplars name traces
//     that somebody records.
//   - It is told of things, and asks nobody while something is done: the domain
//     knows nothing of it.
//
// # How to use it
//
// New makes it for the agents that there are. Its Inline functions are given to
// the bus, its methods to whoever has something to tell (Committed, Served,
// Refused), Watch says what is to be looked at when somebody asks, and Handler
// answers.
package metrics

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/lineclear/lineclear/internal/otlp"
	"github.com/lineclear/lineclear/notify"
)

// other stands for every value of a label that is not one of those expected.
const other = "other"

// Metrics is what was counted; make it with New.
type Metrics struct {
	registry *prometheus.Registry
	agents   []string
	traced   bool // spans of all requests are sent

	requests, decisions *prometheus.CounterVec
	answers             prometheus.Histogram
	commits, groups     prometheus.Histogram
	served, refused     *prometheus.CounterVec
	failures, pushes    *prometheus.CounterVec
	spans, messages     *prometheus.CounterVec

	mu      sync.Mutex
	fresh   map[string]asked // written down, and not known yet whether somebody is asked
	waiting map[string]asked
}

// New makes metrics for the agents of a configuration.
func New(agents []string) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lineclear_" + name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: "lineclear_" + name, Help: help, Buckets: buckets})
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(), agents: agents, fresh: map[string]asked{}, waiting: map[string]asked{},
		requests:  counter("requests_total", "Requests, by what became of them at once: asked, or settled without asking anyone.", "agent", "type", "outcome"),
		decisions: counter("decisions_total", "Answers to requests, those that rules, grants and deadlines gave among them.", "status", "reason", "via"),
		answers: histogram("time_to_answer_seconds", "How long requests waited that people have answered.",
			[]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 14400, 86400}),
		commits:  histogram("store_commit_seconds", "How long a commit took, the sync to disk included.", prometheus.ExponentialBuckets(0.0005, 2, 13)),
		groups:   histogram("store_group_size", "How many changes shared a commit.", prometheus.ExponentialBuckets(1, 2, 9)),
		served:   counter("http_requests_total", "HTTP requests by route; none: refused before it was looked for.", "route", "method", "code"),
		failures: counter("failures_total", "Failures of background work, by kind.", "what"),
		pushes:   counter("pushes_total", "Messages to people's browsers, by what became of them.", "outcome"),
		spans:    counter("spans_total", "Spans for the collector of traces, by what became of them.", "outcome"),
		messages: counter("cluster_messages_total", "Messages to and from the cluster's other gateways over NATS, by what became of them.", "outcome"),
		refused:  counter("refused_total", "Requests and connections that were refused, by the reason.", "why"),
	}
	for _, what := range Failures() {
		m.failures.WithLabelValues(what)
	}
	for _, outcome := range notify.Outcomes() {
		m.pushes.WithLabelValues(string(outcome))
	}
	for _, outcome := range otlp.Outcomes() {
		m.spans.WithLabelValues(string(outcome))
	}
	for _, outcome := range Messages() {
		m.messages.WithLabelValues(outcome)
	}
	for _, why := range Refusals() {
		m.refused.WithLabelValues(why) // there from the first, so that a rate can be taken
	}
	m.registry.MustRegister(m.requests, m.decisions, m.answers, m.commits, m.groups, m.served, m.refused, m.failures, m.pushes, m.spans, m.messages,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "lineclear_pending", Help: "Requests that wait for an answer."}, m.pending),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "lineclear_pending_oldest_seconds", Help: "How long the oldest request waits; 0 if none does."}, m.oldest),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Trace says that spans of all requests are sent, so that exemplars can name their traces. It has to come
// before the first event.
func (m *Metrics) Trace() { m.traced = true }

// Handler answers with all that was counted: in the format OpenMetrics, which has exemplars, where that is asked for.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, EnableOpenMetrics: true})
}

// Committed is told of every commit of a store.
func (m *Metrics) Committed(changes int, took time.Duration) {
	m.commits.Observe(took.Seconds())
	m.groups.Observe(float64(changes))
}

// Served is told of every HTTP request that was answered, and by which route;
// none where it did not come so far.
func (m *Metrics) Served(route, method string, code int) {
	if route == "" {
		route = "none"
	}
	methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
	m.served.WithLabelValues(route, oneOf(methods, method), strconv.Itoa(code)).Inc()
}

// Failures lists the kinds of background work that can fail.
func Failures() []string {
	return []string{"sweep", "release", "judge_again", "result", "database", "bus", "checkpoint", "access", "history", "idle runs", "retention", "traces"}
}

// Failed counts a failure of background work, by one of Failures.
func (m *Metrics) Failed(what string) { m.failures.WithLabelValues(oneOf(Failures(), what)).Inc() }

// Refused is told why something was refused, in one of the words of Refusals.
func (m *Metrics) Refused(why string) { m.refused.WithLabelValues(oneOf(Refusals(), why)).Inc() }

// Refusals are the words for why something is refused.
func Refusals() []string { return []string{"host", "origin", "login", "role", "rate", "connections"} }

// Pushed is told what became of a message to a browser.
func (m *Metrics) Pushed(what notify.Outcome) {
	m.pushes.WithLabelValues(oneOf(notify.Outcomes(), what)).Inc()
}

// Spans is told what became of spans.
func (m *Metrics) Spans(what otlp.Outcome, n int) {
	m.spans.WithLabelValues(oneOf(otlp.Outcomes(), what)).Add(float64(n))
}

// Messages are the words for what becomes of a message over NATS.
func Messages() []string { return []string{"sent", "taken", "dropped", "refused"} }

// Message is told what became of one, in one of the words of Messages.
func (m *Metrics) Message(what string) { m.messages.WithLabelValues(oneOf(Messages(), what)).Inc() }

// oneOf is a word of the list, or other.
func oneOf[T ~string](known []T, word T) string {
	if slices.Contains(known, word) {
		return string(word)
	}
	return other
}
