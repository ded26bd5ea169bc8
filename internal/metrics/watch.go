package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/lineclear/lineclear/bus"
)

// Tabs counts the tabs of a hub: those that are open, and those that were cut
// off since it began because they read too slowly.
type Tabs func() (open int, slow uint64)

// Disk measures what the database takes up, and what is left where it is, in bytes.
type Disk func() (database, log, free int64, err error)

// Watch has a bus, a hub and a disk be looked at whenever somebody asks. It is called
// once.
func (m *Metrics) Watch(b *bus.Bus, tabs Tabs, disk Disk) {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("lineclear_"+name, help, labels, nil)
	}
	m.registry.MustRegister(&watch{
		bus: b, tabs: tabs, disk: disk,
		events:    describe("bus_events_total", "Events that were published on the bus.", "topic"),
		panics:    describe("bus_panics_total", "Panics that the bus has caught; there are to be none."),
		evictions: describe("queue_evictions_total", "Who was cut off for reading too slowly: tabs, and subscribers of the bus.", "queue"),
		open:      describe("websockets", "WebSockets that are open."),
		size:      describe("database_bytes", "Size of the database and of the write-ahead log beside it.", "file"),
		free:      describe("disk_free_bytes", "What is left on the disk of the data folder."),
	})
}

// watch reads counts where they are kept.
type watch struct {
	bus                             *bus.Bus
	tabs                            Tabs
	disk                            Disk
	events, panics, evictions, open *prometheus.Desc
	size, free                      *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (w *watch) Describe(into chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.events, w.panics, w.evictions, w.open, w.size, w.free} {
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
	gauge := func(d *prometheus.Desc, n float64, labels ...string) {
		into <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, n, labels...)
	}
	gauge(w.open, float64(open))
	if database, log, free, err := w.disk(); err == nil { // otherwise they are absent, which an alert can see
		gauge(w.size, float64(database), "database")
		gauge(w.size, float64(log), "log")
		gauge(w.free, float64(free))
	}
}
