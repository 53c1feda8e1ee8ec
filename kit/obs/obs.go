// Package obs counts what the kit does: metrics whose number grows with controllers and steps, never with objects.
package obs

import (
	"context"
	"runtime/trace"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Metrics counts runs, requests, renders and panics, and shows in what state controllers are.
type Metrics struct {
	states   *states
	requests *prometheus.HistogramVec
	renders  *prometheus.CounterVec
	panics   *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
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
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "kit_step_seconds",
			Help: "How long a step that had work to do took.", Buckets: []float64{0.1, 1, 10}}, []string{"controller", "step"}),
	}
	r.MustRegister(m.states, m.requests, m.renders, m.panics, m.seconds)
	return m
}

// Ran counts one run.
func (m *Metrics) Ran(controller string, requests int) {
	m.requests.WithLabelValues(controller).Observe(float64(requests))
}

// Rendered counts one render of a step.
func (m *Metrics) Rendered(controller, step string) {
	m.renders.WithLabelValues(controller, step).Inc()
}

// Panicked counts one panic in a step.
func (m *Metrics) Panicked(controller, step string) { m.panics.WithLabelValues(controller, step).Inc() }

// Worked counts one step that had work to do, and how long it took.
func (m *Metrics) Worked(controller, step string, d time.Duration) {
	m.seconds.WithLabelValues(controller, step).Observe(d.Seconds())
}

// Span opens the span of one reconcile of an object and returns what closes it: a task of runtime/trace, in which the
// steps that work are regions. `go tool trace` reads it from /debug/pprof/trace or a flight recorder. While nobody
// traces it costs nothing.
func Span(ctx context.Context, controller string, object types.NamespacedName) (context.Context, func()) {
	if !trace.IsEnabled() {
		return ctx, func() {}
	}
	ctx, task := trace.NewTask(ctx, controller)
	trace.Log(ctx, "object", object.String())
	return ctx, task.End
}

// StepSpan opens the span of a step within that of a reconcile and returns what closes it.
func StepSpan(ctx context.Context, step string) func() { return trace.StartRegion(ctx, step).End }
