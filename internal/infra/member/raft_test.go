package member

import "testing"

// What is waited for is an object, so that who asks why finds the pods that do not run, and from there the reason.
func TestPodsAreWaitedFor(t *testing.T) {
	d := Decide(World{Pods: []string{"a-0", "a-1", "a-2"}})
	if o := conclude("a", d, nil); o.On != "StatefulSet a" {
		t.Errorf("the members wait for %q: %s", o.On, o.Message)
	}
}
