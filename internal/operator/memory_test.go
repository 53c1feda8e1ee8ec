package operator

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	for name, c := range map[string]struct {
		content string
		want    int64
	}{
		"limit":         {"268435456\n", 241591905},
		"no limit":      {"max\n", 0},
		"cgroups v1":    {"9223372036854771712\n", 0},
		"not a number":  {"much\n", 0},
		"nothing in it": {"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			debug.SetMemoryLimit(math.MaxInt64)
			t.Setenv("GOMEMLIMIT", "")
			file := filepath.Join(t.TempDir(), "memory.max")
			if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := LimitMemory(filepath.Join(t.TempDir(), "absent"), file); got != c.want {
				t.Errorf("limit is %d, want %d", got, c.want)
			}
			want := cmp.Or(c.want, math.MaxInt64)
			if got := debug.SetMemoryLimit(-1); got != want {
				t.Errorf("the runtime's limit is %d, want %d", got, want)
			}
		})
	}
}

func TestEnvironmentWinsOverTheContainersLimit(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "64MiB")
	file := filepath.Join(t.TempDir(), "memory.max")
	if err := os.WriteFile(file, []byte("268435456\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := LimitMemory(file); got != 0 {
		t.Errorf("limit is %d although GOMEMLIMIT is set", got)
	}
}

func TestKeepHeapSmall(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for environment, want := range map[string]int{"": heapGrowth, "80": 100} {
		t.Setenv("GOGC", environment)
		debug.SetGCPercent(100)
		KeepHeapSmall()
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("with GOGC=%s the heap grows by %d percent, want %d", environment, got, want)
		}
	}
}
