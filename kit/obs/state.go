package obs

import (
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// State is what a controller knows at one moment, added up over all its owners.
type State struct {
	// Objects counts owners by the status of their condition Ready; one that nobody has looked at counts as Unknown.
	Objects map[string]int
	// Steps by name.
	Steps map[string]StepState
}

// StepState is one step of all owners of a controller.
type StepState struct {
	// Waiting and Failed count the owners in whose graph the step waits, and in whose it failed and is tried again.
	Waiting, Failed int
	// Since is when the one that has been so for longest came into that state.
	Since time.Time
	// Due is when the first of the Secrets that the step renews is to be renewed, or the first that a person gave it ends;
	// zero when there is none.
	Due time.Time
	// Oldest is when the first of the Secrets that the step never renews got its content; zero when there is none.
	Oldest time.Time
}

// states shows the states of controllers when it is asked for metrics: nothing is counted meanwhile.
type states struct {
	mu  sync.Mutex
	ask map[string]func() State

	objects, waiting, failed, longest, due, oldest *prometheus.Desc
}

func newStates() *states {
	perStep := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, []string{"controller", "step"}, nil)
	}
	return &states{
		ask: map[string]func() State{},
		objects: prometheus.NewDesc("kit_objects", "Objects of a controller, by the status of their condition Ready.",
			[]string{"controller", "ready"}, nil),
		waiting: perStep("kit_steps_waiting", "Objects whose step waits for something."),
		failed:  perStep("kit_steps_failed", "Objects whose step failed and is tried again."),
		longest: perStep("kit_step_longest_wait_seconds", "How long the step that waits or fails for longest has done so."),
		due: perStep("kit_secret_renewal_seconds",
			"Time until the first of the step's Secrets is to be renewed, or one that was given ends; below zero it is late."),
		oldest: perStep("kit_secret_age_seconds", "Age of the oldest content of the step's Secrets that are never renewed."),
	}
}

// Watch shows the state of a controller with the metrics from now on. state is called concurrently.
func (m *Metrics) Watch(controller string, state func() State) {
	m.states.mu.Lock()
	defer m.states.mu.Unlock()
	m.states.ask[controller] = state
}

// Describe implements prometheus.Collector.
func (s *states) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{s.objects, s.waiting, s.failed, s.longest, s.due, s.oldest} {
		out <- d
	}
}

// Collect implements prometheus.Collector. What is not there has no series, but for objects.
func (s *states) Collect(out chan<- prometheus.Metric) {
	s.mu.Lock()
	ask := maps.Clone(s.ask)
	s.mu.Unlock()
	for controller, state := range ask {
		now := state()
		for _, ready := range []string{"True", "False", "Unknown"} {
			out <- prometheus.MustNewConstMetric(s.objects, prometheus.GaugeValue, float64(now.Objects[ready]),
				controller, ready)
		}
		for step, st := range now.Steps {
			st.collect(s, func(d *prometheus.Desc, v float64) {
				out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, controller, step)
			})
		}
	}
}

func (t StepState) collect(s *states, show func(*prometheus.Desc, float64)) {
	if t.Waiting > 0 {
		show(s.waiting, float64(t.Waiting))
	}
	if t.Failed > 0 {
		show(s.failed, float64(t.Failed))
	}
	if !t.Since.IsZero() {
		show(s.longest, time.Since(t.Since).Seconds())
	}
	if !t.Due.IsZero() {
		show(s.due, time.Until(t.Due).Seconds())
	}
	if !t.Oldest.IsZero() {
		show(s.oldest, time.Since(t.Oldest).Seconds())
	}
}
