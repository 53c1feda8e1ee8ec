package mirror

import "time"

// Stats say how a mirror does.
type Stats struct {
	// Full is when the last list of everything began; zero when there was none, or nobody follows: nobody lists then.
	Full time.Time
	// Resources that are there, and the size of what is kept of them.
	Resources, Bytes int
	// Pending is how many followers wait for something.
	Pending int
}

// Strays is how many resources carry the marker of somebody in a cluster whom nobody knows.
func (m *Mirror) Strays(cluster string, known func(marker string) bool) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.items {
		if !e.gone && e.Marker != "" && e.Cluster == cluster && !known(e.Marker) {
			n++
		}
	}
	return n
}

// Stats of now.
func (m *Mirror) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Stats{}
	if len(m.followers) > 0 {
		s.Full = m.full
	}
	for _, e := range m.items {
		if !e.gone {
			s.Resources++
			s.Bytes += len(e.Raw)
		}
	}
	for _, f := range m.followers {
		if f.pending != Steady {
			s.Pending++
		}
	}
	return s
}
