package kittest

import "testing"

// A stride begins at each request at some time, and never leaves out all of a few.
func TestCrashBeginsAnywhere(t *testing.T) {
	for stride, n := range map[int]int{0: 1000, 4: 1000, 50: 3, 1: 0} {
		w := &World{Scenario: Scenario{Stride: stride}}
		begins := map[int]bool{}
		want, _ := w.pace(n)
		for range 200 * want {
			now, begin := w.pace(n)
			begins[begin] = true
			if now != want || now > max(1, n) {
				t.Fatalf("of %d requests every one in %d is tried, then in %d", n, want, now)
			}
		}
		if len(begins) != want {
			t.Errorf("with a stride of %d there are %d begins", want, len(begins))
		}
	}
}
