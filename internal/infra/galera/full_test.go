package galera

import (
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/agent/mariadb"
)

func filled(s *mariadb.State) { s.Full = true }

// A member without room hands the writes to one that has some. When none has, writes are refused and a person is told
// which field to change; the writer stays the one whose data is the furthest.
func TestFullVolumes(t *testing.T) {
	for name, c := range map[string]struct {
		members []mariadb.State
		want    string
		reason  string
	}{
		"the writer has room":         {members: three(), want: "g-0"},
		"only the writer is full":     {members: three(filled), want: "g-1"},
		"two are full":                {members: three(filled, filled), want: "g-2"},
		"a full member is no problem": {members: three(nil, filled, filled), want: "g-0"},
		"all are full":                {members: three(filled, filled, filled), want: "g-0", reason: "VolumeFull"},
	} {
		t.Run(name, func(t *testing.T) {
			w := World{Pods: []string{"g-0", "g-1", "g-2"}, Reports: map[string]mariadb.State{},
				Record: Record{Roles: []mariadb.Role{{Term: 1, Writer: "g-0"}}}}
			for _, s := range c.members {
				w.Reports[s.Pod] = s
			}
			d, err := w.serve(t.Context(), &book{state: w.Reports}, func(Record) error { return nil })
			if err != nil || w.Record.Writer() != c.want || d.Reason != c.reason {
				t.Errorf("the writer is %s, want %s; %+v, %v", w.Record.Writer(), c.want, d, err)
			}
			if c.reason != "" && (!d.Person || !strings.Contains(d.Text, "spec.storage.size")) {
				t.Errorf("nobody learns what to do: %+v", d)
			}
		})
	}
}

// three are the members of a running cluster of which g-0 takes the writes, each changed by its own function.
func three(change ...func(*mariadb.State)) []mariadb.State {
	var out []mariadb.State
	for i, pod := range []string{"g-0", "g-1", "g-2"} {
		s := mariadb.State{Pod: pod, Phase: mariadb.Running, Role: mariadb.Role{Term: 1, Writer: "g-0"}, Writable: i == 0,
			Wsrep: mariadb.Wsrep{Primary: true, Ready: true, Local: mariadb.Synced, Members: []string{"g-0", "g-1", "g-2"}}}
		if i < len(change) && change[i] != nil {
			change[i](&s)
			s.Writable = s.Writable && !s.Full
		}
		out = append(out, s)
	}
	return out
}
