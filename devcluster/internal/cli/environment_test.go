package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProgramsGetNoCredentialsOfWhoStartsThem(t *testing.T) {
	all := []string{"PATH=/bin", "OS_PASSWORD=secret", "HOME=/root", "PATHS=/no", "no_proxy=a=b", "GOFLAGS="}
	want := []string{"PATH=/bin", "HOME=/root", "no_proxy=a=b"}
	if diff := cmp.Diff(want, environment(all)); diff != "" {
		t.Error(diff)
	}
}
