//go:build e2e

// Package machine tests what a person on a bare machine sees: up, up again, and down without a trace. It has no cluster
// running beside it.
package machine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// A whole cloud comes up before the eyes of who watches its status, with a server that answers and writes to its
// volume, a second up is quick and changes nothing, at rest nothing is written, what services do once a day works,
// nobody shows a secret, what is on a volume stays on it and on its snapshot, and down leaves nothing behind but
// caches.
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
	parts := &ascent{c: c, picture: filepath.Join(story.Artifacts(), "up.svg"), before: before}
	for _, part := range []struct {
		name string
		play func(t *testing.T)
	}{
		{"up", parts.up}, {"picture", parts.drawn}, {"client", parts.client}, {"up again", parts.again},
		{"rests", parts.rests}, {"chores", parts.chores}, {"secrets", parts.secrets}, {"volume", parts.volume},
		{"down", parts.gone},
	} {
		if !t.Run(part.name, part.play) {
			return
		}
	}
}

// ascent is a cloud that comes up and goes again.
type ascent struct {
	c       story.Cluster
	picture string
	// before is what was on the machine before.
	before []string
	// first is how long it took to come up.
	first time.Duration
	// clouds is the clouds.yaml that up names.
	clouds string
}

func (a *ascent) up(t *testing.T) {
	t.Helper()
	var said string
	done := watched(t, a.c)
	said, a.first = install(t, a.c, "--picture", a.picture)
	done()
	t.Logf("up took %s", a.first)
	if file := cloudsFile.FindStringSubmatch(said); file != nil {
		a.clouds = file[1]
	}
	said, err := a.c.Stackwright(t.Context(), "openstack", "server", "list", "--all-projects", "-f", "value", "-c",
		"Networks")
	// Nova reads them from Neutron while it makes the server, by a right of its own.
	if n := len(address.FindAllString(said, -1)); err != nil || n != 2 {
		t.Errorf("Nova shows %d addresses of the server, want a fixed and a floating one: %v\n%s", n, err, said)
	}
}

// cloudsFile is where up says that clouds.yaml is.
var cloudsFile = regexp.MustCompile(`(?m)^  clouds\.yaml +(\S+)$`)

var address = regexp.MustCompile(`\d+\.\d+\.\d+\.\d+`)

func (a *ascent) rests(t *testing.T) {
	t.Helper()
	rests(t, a.c)
}

// again does what was done already, which is quick: in 20 s, or in a tenth of the first time where the machine is slow.
// A second make up has nothing to build before that.
func (a *ascent) again(t *testing.T) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "make", "-q", "build")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("a second make up would build again, unless a source was changed meanwhile: %v\n%s", err, out)
	}
	before := objects(t, a.c)
	_, took := install(t, a.c)
	t.Logf("a second up took %s", took)
	for _, change := range changed(before, objects(t, a.c)) {
		t.Errorf("a second up changes something: %s", change)
	}
	if limit := max(20*time.Second, a.first/10); took > limit {
		t.Errorf("a second up took %s, at most %s", took, limit)
	}
}

// secrets looks for passwords and keys of the whole cloud in what anybody may see.
func (a *ascent) secrets(t *testing.T) {
	t.Helper()
	story.Join(t, a.c).Secretive("openstack", "kind: Nova\n", "kind: BuildingBlock", "kind: Server\n", "stackwright_nova")
}

// gone takes the cluster away and looks for what is left of it.
func (a *ascent) gone(t *testing.T) {
	t.Helper()
	if err := a.c.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	// What a process that ended had is taken away by the kernel, maybe a moment later.
	var behind []string
	for range 5 {
		if behind = left(a.before, traces(t)); len(behind) == 0 {
			break
		}
		pause(t, time.Second)
	}
	for _, trace := range behind {
		t.Errorf("left behind: %s", trace)
	}
}

// drawn checks that the picture has what ran, and that all of it got ready.
func (a *ascent) drawn(t *testing.T) {
	t.Helper()
	picture, err := os.ReadFile(a.picture)
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

func install(t *testing.T, c story.Cluster, args ...string) (said string, took time.Duration) {
	t.Helper()
	began := time.Now()
	said, err := c.Run(t.Context(), "stackwright", append([]string{"up", "--devcluster", c.Name}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A server runs after ", " answers at ", "to log in at https://", "says hello",
		"says its volume of 1 GiB has kept: start 1"} {
		if !strings.Contains(said, want) {
			t.Errorf("up does not say %q but\n%s", want, said)
		}
	}
	return said, time.Since(began).Round(time.Millisecond)
}
