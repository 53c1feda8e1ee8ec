//go:build e2e

package mariadb_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Members whose data a newer MariaDB has served, as their memos say, do not start, and tell which image would do. With
// that they go on, and no row is lost.
func TestOlderImageDoesNotSeeTheData(t *testing.T) {
	story.InCI(t)
	s := play(t)
	s.grown(100)
	s.Signal(syscall.SIGKILL, 0, 1, 2)
	var had [members]string
	for i := range members {
		had[i] = s.remembers(i, "99.1.0")
	}
	s.Start(0, 1, 2)
	s.Until("all members saying that their image is too old", time.Minute, func() bool {
		for i := range members {
			state, err := s.op.agents.State(t.Context(), s.Pod(i))
			if err != nil || state.Phase != mariadb.Blocked || !strings.HasPrefix(state.Message,
				"MariaDB 99.1.0 has served the data on this volume and the image has "+had[i]+",") {
				return false
			}
		}
		return true
	})
	s.Signal(syscall.SIGKILL, 0, 1, 2)
	for i := range members {
		s.remembers(i, had[i])
	}
	writes, all := s.recover(0, 1, 2)
	t.Logf("with %s again: writes after %s, all members after %s", had[0], writes.Round(100*time.Millisecond),
		all.Round(100*time.Millisecond))
	s.finish()
}

// remembers puts another version into a member's memo, and returns the one that was there.
func (s *scene) remembers(i int, version string) string {
	s.Helper()
	path := filepath.Join(s.Volume(i), "agent", "memo.json")
	text, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	var m mariadb.Memo
	if err := json.Unmarshal(text, &m); err != nil {
		s.Fatal(err)
	}
	old := m.Version
	if m.Version = version; old == "" {
		s.Fatalf("%s remembers no version: %s", s.Pod(i), text)
	}
	if text, err = json.Marshal(m); err == nil {
		err = os.WriteFile(path, text, 0) // it keeps its owner
	}
	if err != nil {
		s.Fatal(err)
	}
	return old
}
