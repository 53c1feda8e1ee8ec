//go:build bench

// Package deploy measures how long a cloud takes from objects to its first server, and how long a script takes that
// starts the same processes from the same images on the same machine, one after the other and without Kubernetes.
package deploy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackwright.dev/stackwright/test/e2e/story"
)

const (
	// target is how much longer we may take than the script.
	target = 1.3
	// within is how long either may take.
	within = 20 * time.Minute
)

// marks are what both sides come by, in this order, and limits how long we may take up to each on a machine with two
// cores that has the images.
var (
	marks  = []string{"token", "core", "server-active"}
	limits = map[string]time.Duration{"token": time.Minute, "core": 210 * time.Second, "server-active": 4 * time.Minute}
)

// figure prints what was measured.
func figure(name string, value float64, unit string) {
	fmt.Fprintf(os.Stdout, "%s %.4g %s\n", strings.ReplaceAll(name, "-", "_"), value, unit)
}

// A cloud comes up at most a little slower than by the script, which knows all passwords and addresses beforehand.
func TestDeploy(t *testing.T) {
	list, err := story.Cluster{}.Run(t.Context(), "devcluster", "status")
	if err != nil {
		t.Fatal(err)
	}
	if names := running(list); len(names) > 0 {
		t.Fatalf("cluster %s runs on this machine and would be measured, too; take it away: bin/stackwright down "+
			"--devcluster %[1]s", names[0])
	}
	ours, captured := operated(t)
	script := scripted(t, captured)
	for _, m := range marks {
		figure("deploy_"+m, ours[m].Seconds(), "s")
		figure("serial_"+m, script[m].Seconds(), "s")
		if ours[m] > limits[m] {
			t.Errorf("up to %s we take %s, at most %s", m, ours[m], limits[m])
		}
	}
	// The token has no target: up to there the script has started what Keystone needs and nothing else, we everything.
	for name, m := range map[string]string{"token": "token", "core": "core", "server": "server-active"} {
		ratio := ours[m].Seconds() / script[m].Seconds()
		figure("deploy_ratio_"+name, ratio, "times")
		if ratio > target && m != "token" {
			t.Errorf("up to %s we take %.2f times as long as the script, the target is %.2f", m, ratio, target)
		}
	}
}

// running are the clusters in the table of devcluster that are not stopped.
func running(table string) (names []string) {
	_, rows, _ := strings.Cut(table, "\n")
	for row := range strings.Lines(rows) {
		if f := strings.Fields(row); len(f) > 1 && f[1] != "stopped" {
			names = append(names, f[0])
		}
	}
	return names
}

func TestRunning(t *testing.T) {
	for table, want := range map[string]string{
		"devcluster: there are no clusters; start one with `devcluster up`\n": "",
		"NAME  READY    NODES  ADDRESSES      KUBECONFIG\n" +
			"a     stopped  1      10.180.0.0/16  /a\n" +
			"b     true     1      10.181.0.0/16  /b\n" +
			"c     false    3      10.182.0.0/16  /c\n": "b c",
	} {
		if got := strings.Join(running(table), " "); got != want {
			t.Errorf("of\n%s%q run, want %q", table, got, want)
		}
	}
}

// operated brings a cloud up on a cluster of its own as a person does, captures it and takes it down.
func operated(t *testing.T) (map[string]time.Duration, string) {
	t.Helper()
	c := story.Cluster{Name: "bench", Log: os.Stderr}
	down := func() {
		if err := c.Down(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			down()
		}
	})
	if err := os.MkdirAll(story.Artifacts(), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeoutCause(t.Context(), within, fmt.Errorf("it takes longer than %s", within))
	defer stop()
	w := &watcher{cluster: c, seen: map[string]time.Duration{}}
	watched := make(chan error, 1)
	go func() { watched <- w.watch(ctx) }()
	picture := filepath.Join(story.Artifacts(), "deploy.svg")
	_, err := c.Run(ctx, "stackwright", "up", "--devcluster", c.Name, "--picture", picture)
	t.Logf("what waited for what is drawn in %s", picture)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	if err := <-watched; err != nil {
		t.Fatal(err)
	}
	folder := capture(t, c)
	down()
	return w.seen, folder
}

// captured are the kinds that a script needs to know. Those of the last line are made by calls, not by pods.
const captured = "pods,jobs,services,secrets,configmaps,databases.infra.stackwright.dev," +
	"projects.openstack.stackwright.dev,users.openstack.stackwright.dev,roleassignments.openstack.stackwright.dev," +
	"services.openstack.stackwright.dev,endpoints.openstack.stackwright.dev," +
	"hostaggregates.openstack.stackwright.dev,aggregatehosts.openstack.stackwright.dev"

// capture keeps the objects of the cloud in a folder that nobody else reads and that goes with the test.
func capture(t *testing.T, c story.Cluster) string {
	t.Helper()
	c.Log = nil
	out, err := c.Kubectl(t.Context(), "get", captured, "--namespace", namespace, "--output", "json")
	folder := t.TempDir()
	if err == nil {
		err = os.Chmod(folder, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "objects.json"), []byte(out), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// scripted replays the cloud and returns when the script came by each mark.
func scripted(t *testing.T, folder string) map[string]time.Duration {
	t.Helper()
	program, err := filepath.Abs("../../../bin/contender")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), within)
	defer stop()
	cmd := exec.CommandContext(ctx, program, "--capture", folder, "--namespace", namespace, "--logs",
		filepath.Join(story.Artifacts(), "contender"))
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(os.Stderr, &said)
	// It takes away what it has made when it is told to end.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, strings.Join(strings.Split(strings.TrimSpace(said.String()), "\n"), "; "))
	}
	seen := map[string]time.Duration{}
	for s := bufio.NewScanner(&out); s.Scan(); {
		var name string
		var seconds float64
		if _, err := fmt.Sscanf(s.Text(), "%s %f s", &name, &seconds); err == nil {
			seen[name] = time.Duration(seconds * float64(time.Second))
		}
	}
	for _, m := range marks {
		if seen[m] == 0 {
			t.Fatalf("the script does not tell when it came by %s:\n%s", m, out.String())
		}
	}
	return seen
}
