package resources

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count by cloud, which is the namespace and name of its object, and kind.
type metrics struct {
	found, corrected, heard *prometheus.CounterVec
}

// meter counts the drift of one kind in one cloud.
type meter struct{ found, corrected prometheus.Counter }

const prefix = "stackwright_resources_"

func newMetrics() *metrics {
	counter := func(name, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, []string{"cloud", "kind"})
	}
	return &metrics{
		found:     counter("drift_found_total", "Resources that were found changed or deleted behind our back."),
		corrected: counter("drift_corrected_total", "Resources that were put right after such a change."),
		heard:     counter("notifications_total", "Notifications of the cloud's services about a kind."),
	}
}

func (m *metrics) meter(cloud, kind string) meter {
	return meter{m.found.WithLabelValues(cloud, kind), m.corrected.WithLabelValues(cloud, kind)}
}

// forget ends the series of a cloud whose object is gone.
func (m *metrics) forget(cloud string) {
	for _, v := range []*prometheus.CounterVec{m.found, m.corrected, m.heard} {
		v.DeletePartialMatch(prometheus.Labels{"cloud": cloud})
	}
}

// Measure registers the metrics of the engine; nil registers nothing.
func (e *Engine) Measure(r prometheus.Registerer) *Engine {
	if r != nil {
		r.MustRegister(e.metrics.found, e.metrics.corrected, e.metrics.heard, newGauges(e))
	}
	return e
}

// gauges are read from the mirrors when somebody asks: nothing has to be kept up to date, and the series of a cloud go
// with it.
type gauges struct {
	engine                                  *Engine
	age, size, bytes, pending, orphans, ear *prometheus.Desc
}

func newGauges(e *Engine) *gauges {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(prefix+name, help, labels, nil)
	}
	return &gauges{engine: e,
		age: desc("mirror_age_seconds", "Time since the last list of everything began; of several lists the oldest.",
			"cloud", "kind"),
		size:    desc("mirror_resources", "Resources that the mirrors have.", "cloud", "kind"),
		bytes:   desc("mirror_bytes", "Size of these resources.", "cloud", "kind"),
		pending: desc("pending", "Objects that wait until their resource is ready, or gone.", "cloud", "kind"),
		orphans: desc("orphans", "Resources that carry the marker of an object of this cluster that is not there; of kinds "+
			"whose markers have the cluster.", "cloud", "kind"),
		ear: desc("listening", "1 while notifications of the cloud come in; only of clouds that name a bus.", "cloud"),
	}
}

// Describe implements prometheus.Collector.
func (g *gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{g.age, g.size, g.bytes, g.pending, g.orphans, g.ear} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	known := g.engine.users.markers()
	for _, c := range g.engine.clouds.all() {
		if wanted, listens := c.ear.status(); wanted {
			send(g.ear, listens, c.name)
		}
		for kind, f := range c.figures() {
			if !f.oldest.IsZero() {
				send(g.age, time.Since(f.oldest).Seconds(), c.name, kind)
			}
			send(g.size, float64(f.resources), c.name, kind)
			send(g.bytes, float64(f.bytes), c.name, kind)
			send(g.pending, float64(f.pending), c.name, kind)
			if g.engine.knows(kind) {
				send(g.orphans, float64(c.strays(kind, g.engine.Cluster, known)), c.name, kind)
			}
		}
	}
}

// knows tells whether all objects of a kind are known, and by which cluster their resources are marked.
func (e *Engine) knows(kind string) bool {
	return e.Cluster != "" && e.bells[kind] != nil && (e.Unseen == nil || !e.Unseen(kind))
}

// strays is how many resources of a kind carry the marker of an object that is not there.
func (c *cloud) strays(kind, cluster string, known map[string]bool) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.mirrors {
		if w.lister.kind.Name == kind {
			n += w.Strays(cluster, func(marker string) bool { return known[marker] })
		}
	}
	return n
}

// figures are those of all mirrors of a kind.
type figures struct {
	oldest                    time.Time
	resources, bytes, pending int
}

func (c *cloud) figures() map[string]figures {
	out := map[string]figures{}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.mirrors {
		f, s := out[w.lister.kind.Name], w.Stats()
		f.resources += s.Resources
		f.bytes += s.Bytes
		f.pending += s.Pending
		if !s.Full.IsZero() && (f.oldest.IsZero() || s.Full.Before(f.oldest)) {
			f.oldest = s.Full
		}
		out[w.lister.kind.Name] = f
	}
	return out
}

// status tells whether the cloud names a bus, and 1 when it listens to it.
func (r *ear) status() (wanted bool, listens float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Connected && len(r.state.Exchanges) > 0 {
		listens = 1
	}
	return r.wanted, listens
}

func (c *clouds) all() []*cloud {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([]*cloud, 0, len(c.open))
	for _, cl := range c.open {
		out = append(out, cl)
	}
	return out
}
