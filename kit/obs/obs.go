// Package obs counts what the kit does: metrics whose number grows with controllers and steps, never with objects.
package obs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Metrics counts runs, requests, renders and panics, and shows in what state controllers are.
type Metrics struct {
	states   *states
	requests *prometheus.HistogramVec
	renders  *prometheus.CounterVec
	panics   *prometheus.CounterVec
}

// Default is registered with controller-runtime's registry.
var Default = New(metrics.Registry)

// New registers the metrics of the kit.
func New(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		states: newStates(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "kit_reconcile_requests",
			Help: "API requests that one reconcile sent.", Buckets: []float64{0, 1, 2, 5, 10, 30, 100}}, []string{"controller"}),
		renders: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "kit_step_renders_total",
			Help: "How often a step was rendered."}, []string{"controller", "step"}),
		panics: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "kit_step_panics_total",
			Help: "How often the code of a step panicked."}, []string{"controller", "step"}),
	}
	r.MustRegister(m.states, m.requests, m.renders, m.panics)
	return m
}

// Ran counts one run.
func (m *Metrics) Ran(controller string, requests int, _ time.Duration) {
	m.requests.WithLabelValues(controller).Observe(float64(requests))
}

// Rendered counts one render of a step.
func (m *Metrics) Rendered(controller, step string) {
	m.renders.WithLabelValues(controller, step).Inc()
}

// Panicked counts one panic in a step.
func (m *Metrics) Panicked(controller, step string) { m.panics.WithLabelValues(controller, step).Inc() }
