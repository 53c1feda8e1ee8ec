//go:build e2e

// Package machine tests what a person on a bare machine sees: up, up again, and down without a trace. It has no cluster
// running beside it.
package machine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackwright.dev/stackwright/test/e2e/story"
)

// bin is a file of the folder of our programs.
func bin(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../bin/stackwright")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A whole cloud comes up with a server that answers and writes to its volume, a second up is quick and changes nothing,
// at rest nothing is written, and down leaves nothing behind but caches.
func TestDownLeavesNothing(t *testing.T) {
	c := story.Cluster{Name: "trace", Log: os.Stderr}
	before := traces(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("kept logs, events and objects in %s", c.Keep("trace"))
		}
		if err := c.Down(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := os.MkdirAll(story.Artifacts(), 0o755); err != nil {
		t.Fatal(err)
	}
	var first, second time.Duration
	picture := filepath.Join(story.Artifacts(), "up.svg")
	for _, part := range []struct {
		name string
		play func(t *testing.T)
	}{
		{"up", func(t *testing.T) { first = install(t, c, "--picture", picture) }},
		{"picture", func(t *testing.T) { drawn(t, picture) }},
		{"up again", func(t *testing.T) { second = again(t, c) }},
		{"rests", func(t *testing.T) { rests(t, c) }},
		{"down", func(t *testing.T) { gone(t, c, before) }},
	} {
		if !t.Run(part.name, part.play) {
			return
		}
	}
	t.Logf("up took %s, a second up %s", first.Round(time.Millisecond), second.Round(time.Millisecond))
}

// again does what was done already, which is quick.
func again(t *testing.T, c story.Cluster) time.Duration {
	t.Helper()
	took := install(t, c)
	if limit := 20 * time.Second; took > limit {
		t.Errorf("a second up took %s, at most %s", took, limit)
	}
	return took
}

// gone takes the cluster away and looks for what is left of it.
func gone(t *testing.T, c story.Cluster, before []string) {
	t.Helper()
	if err := c.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	// What a process that ended had is taken away by the kernel, maybe a moment later.
	var behind []string
	for range 5 {
		if behind = left(before, traces(t)); len(behind) == 0 {
			break
		}
		pause(t, time.Second)
	}
	for _, trace := range behind {
		t.Errorf("left behind: %s", trace)
	}
}

// drawn checks that a picture has what ran, and that all of it got ready.
func drawn(t *testing.T, file string) {
	t.Helper()
	picture, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Galera", "Keystone", "Nova", "BuildingBlock", "Server"} {
		if !strings.Contains(string(picture), ">"+want) {
			t.Errorf("the picture has no %s", want)
		}
	}
	rows, ready := strings.Count(string(picture), `text-anchor="end"`), strings.Count(string(picture), "✓")
	if rows != ready {
		t.Errorf("%d of %d rows of the picture end in ready", ready, rows)
	}
}

func install(t *testing.T, c story.Cluster, args ...string) time.Duration {
	t.Helper()
	began := time.Now()
	said, err := c.Run(t.Context(), "stackwright", append([]string{"up", "--devcluster", c.Name}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A server runs after ", " answers at ", "to log in at https://", "says hello",
		"says its volume of 1 GiB has kept"} {
		if !strings.Contains(said, want) {
			t.Errorf("up does not say %q but\n%s", want, said)
		}
	}
	return time.Since(began)
}
