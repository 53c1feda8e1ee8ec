package kittest

import "testing"

func TestDiffShowsWhatAVariantMeans(t *testing.T) {
	const base = "kind: A\nmetadata:\n  name: x\nspec:\n  one: 1\n  two: 2\n---\nkind: B\nmetadata:\n  name: y\n"
	for name, c := range map[string]struct{ got, want string }{
		"same": {base, ""},
		"changed": {"kind: A\nmetadata:\n  name: x\nspec:\n  one: 1\n  two: 3\n---\nkind: B\nmetadata:\n  name: y\n",
			"@ A/x\n-  two: 2\n+  two: 3\n"},
		"added": {base + "---\nkind: C\nmetadata:\n  name: z\n", "@ C/z\n+kind: C\n+metadata:\n+  name: z\n"},
		"removed": {"kind: A\nmetadata:\n  name: x\nspec:\n  one: 1\n  two: 2\n",
			"@ B/y\n-kind: B\n-metadata:\n-  name: y\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Diff(base, c.got); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}
