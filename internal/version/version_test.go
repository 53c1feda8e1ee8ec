package version

import (
	"runtime/debug"
	"testing"
)

func TestString(t *testing.T) {
	for want, b := range map[string]Build{
		"stackwright v1.2.0 (commit 1a2b, go1.26.0, linux/amd64)": {Version: "v1.2.0", Commit: "1a2b", Go: "go1.26.0",
			Platform: "linux/amd64"},
		"stackwright devel (go1.26.0, linux/arm64)": {Version: "devel", Go: "go1.26.0", Platform: "linux/arm64"},
	} {
		if got := b.String(); got != want {
			t.Errorf("the build is %q, want %q", got, want)
		}
	}
}

func TestOf(t *testing.T) {
	for noted, want := range map[string]string{"": "devel", "(devel)": "devel", "v1.2.0": "v1.2.0"} {
		if got := Of(&debug.BuildInfo{Main: debug.Module{Version: noted}}); got != want {
			t.Errorf("the version of what is noted as %q is %q, want %q", noted, got, want)
		}
	}
}
