package obs_test

import (
	"bytes"
	"runtime/trace"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/obs"
)

// TestSpans: a trace names the controller, the object and the step; without one, nothing is allocated for the object.
func TestSpans(t *testing.T) {
	key := types.NamespacedName{Namespace: "cloud", Name: "an-owner"}
	look := func() {
		ctx, end := obs.Span(t.Context(), "a-controller", key)
		defer end()
		obs.StepSpan(ctx, "a-step")()
	}
	if n := testing.AllocsPerRun(100, look); n > 3 { // the test's context is made anew
		t.Errorf("a span that nobody looks at takes %v allocations", n)
	}
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	look()
	trace.Stop()
	for _, want := range []string{"a-controller", "cloud/an-owner", "a-step"} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("the trace does not name %s", want)
		}
	}
}
