package supervisor

import (
	"slices"
	"sync"
	"time"
)

// Milestone is something that people wait for.
type Milestone struct {
	Text    string  `json:"text"`
	Seconds float64 `json:"seconds"` // since the supervisor began
}

// journal remembers the milestones since the supervisor began.
type journal struct {
	mu         sync.Mutex
	began      time.Time
	milestones []Milestone
}

func (j *journal) begin() { j.began = time.Now() }

// mark adds a milestone unless it was reached before.
func (j *journal) mark(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !slices.ContainsFunc(j.milestones, func(m Milestone) bool { return m.Text == text }) {
		j.milestones = append(j.milestones, Milestone{Text: text, Seconds: time.Since(j.began).Seconds()})
	}
}

func (j *journal) read() []Milestone {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.milestones)
}
