//go:build e2e

package machine

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"stackwright.dev/stackwright/test/e2e/story"
)

// watched has somebody else ask for the status while a cloud comes up, and watch it once services are to come. The
// function that it returns ends that when the cloud is up, and checks what they were told.
func watched(t *testing.T, c story.Cluster) (done func()) {
	t.Helper()
	c.Log = nil // what is not there yet is an error each time
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	status, log := make(chan string, 1), make(chan string, 1)
	go func() {
		told := ""
		for ctx.Err() == nil && !comes("nova").MatchString(told) {
			after(ctx, 2*time.Second)
			if _, err := os.Stat(c.Kubeconfig()); err == nil {
				told, _ = c.Stackwright(ctx, "status")
			}
		}
		status <- told
		told = ""
		for ctx.Err() == nil { // an API server may be away for longer than a watch bears
			lines, _ := c.Stackwright(ctx, "status", "-w")
			told += lines
			after(ctx, time.Second)
		}
		log <- told
	}()
	return func() {
		t.Helper()
		end()
		told := <-status
		for _, name := range []string{"glance", "neutron", "nova", "placement"} {
			if !comes(name).MatchString(told) {
				t.Errorf("status does not say that %s is to come:\n%s", name, told)
			}
		}
		told = <-log
		first, _, _ := strings.Cut(told, "\n")
		last := told[max(0, strings.LastIndex(told, "nova ready")):]
		if !regexp.MustCompile(`\d+ to come`).MatchString(first) || !strings.HasPrefix(last, "nova ready") ||
			strings.Contains(last, " to come") {
			t.Errorf("who watches is told\n%s", told)
		}
	}
}

// comes is the line of a service that is still to come.
func comes(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^` + name + ` +no .*not yet: waits for step `)
}

// after returns after that time, or when ctx ends.
func after(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
