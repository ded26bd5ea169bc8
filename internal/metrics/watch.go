package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/lineclear/lineclear/bus"
)

// Tabs counts the tabs of a hub: those that are open, and those that were cut
// off since it began because they read too slowly.
type Tabs func() (open int, slow uint64)

// Watch has a bus and a hub be looked at whenever somebody asks. It is called
// once.
func (m *Metrics) Watch(b *bus.Bus, tabs Tabs) {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("lineclear_"+name, help, labels, nil)
	}
	m.registry.MustRegister(&watch{
		bus: b, tabs: tabs,
		events:    describe("bus_events_total", "Events that were published on the bus.", "topic"),
		panics:    describe("bus_panics_total", "Panics that the bus has caught; there are to be none."),
		evictions: describe("queue_evictions_total", "Who was cut off for reading too slowly: tabs, and subscribers of the bus.", "queue"),
		open:      describe("websockets", "WebSockets that are open."),
	})
}

// watch reads counts where they are kept.
type watch struct {
	bus                             *bus.Bus
	tabs                            Tabs
	events, panics, evictions, open *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (w *watch) Describe(into chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.events, w.panics, w.evictions, w.open} {
		into <- d
	}
}

// Collect implements prometheus.Collector.
func (w *watch) Collect(into chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, n uint64, labels ...string) {
		into <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	stats := w.bus.Stats()
	for topic, n := range stats.Topics {
		count(w.events, n, topic)
	}
	open, slow := w.tabs()
	count(w.panics, stats.Panics)
	count(w.evictions, stats.Evictions, "bus")
	count(w.evictions, slow, "tab")
	into <- prometheus.MustNewConstMetric(w.open, prometheus.GaugeValue, float64(open))
}
