package process

import "testing"

func TestGarbageFitsTheMachine(t *testing.T) {
	for _, c := range []struct {
		memory uint64
		want   string
	}{{0, "GOGC=50"}, {8 << 30, "GOGC=50"}, {24 << 30, "GOGC=200"}} {
		if got := garbage(c.memory); got != c.want {
			t.Errorf("with %d bytes of memory it is %s, want %s", c.memory, got, c.want)
		}
	}
}
