//go:build e2e

// Package e2e tests devcluster as people use it: the program, on this machine, as root.
package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/supervisor"
)

// shared is the cluster of two nodes that most tests use; each leaves it as it found it.
const shared = "e2e"

const (
	probeImage = "localhost/probe:1"
	poll       = 100 * time.Millisecond
)

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "devcluster-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	defer func() { _ = command("down", "--name", shared).Run() }()
	// As who logs in has it from systemd. A node has no such folder.
	if err := os.Setenv("XDG_RUNTIME_DIR", "/run/user/0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, step := range []func() error{
		func() error { return buildProbe(folder) },
		measureServer,
		func() error { return quiet(command("up", "--name", shared)) },
		measureCluster,
		func() error { return quiet(command("up", "--name", shared, "--nodes", "2")) },
		func() error { return quiet(command("load", "--name", shared, layout(folder))) },
		func() error { return apply(shared, workload) },
	} {
		if err := step(); err != nil {
			fmt.Fprintln(os.Stderr, "preparing the shared cluster:", err)
			keep(shared, exec.Command)
			return 1
		}
	}
	if err := os.Setenv("PROBE_LAYOUT", layout(folder)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if code != 0 {
		keep(shared, exec.Command)
	}
	return code
}

// keep puts a cluster's objects, events and logs where those of failed stories are. What run makes are commands for its
// machine.
func keep(name string, run func(program string, arguments ...string) *exec.Cmd) {
	folder, err := artifacts(name)
	objects, missing := run(program(), "kubectl", "--name", name, "get", "nodes,pods,services,events", "-A", "-o",
		"yaml").CombinedOutput()
	logs := filepath.Dir((&cluster.Cluster{Name: name}).Log(""))
	err = errors.Join(err, missing, quiet(run("cp", "--recursive", logs, folder)),
		os.WriteFile(filepath.Join(folder, "objects.yaml"), objects, 0o600))
	fmt.Fprintln(os.Stderr, "what is known of cluster", name, "is in", folder, err)
}

// artifacts makes an empty folder for what is known of a cluster or an API server.
func artifacts(name string) (string, error) {
	root := cmp.Or(os.Getenv("ARTIFACTS"), filepath.Join("..", "..", "artifacts"))
	folder := filepath.Join(root, "devcluster", name)
	return folder, errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755))
}

// takeDown takes a cluster of one test down at its end, after what is known of it was kept if the test failed.
func takeDown(t *testing.T, name string, run func(program string, arguments ...string) *exec.Cmd) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			keep(name, run)
		}
		_ = run(program(), "down", "--name", name).Run()
	})
}

func layout(folder string) string { return filepath.Join(folder, "layout") }

// program is the devcluster to test.
func program() string {
	if given := os.Getenv("DEVCLUSTER"); given != "" {
		return given
	}
	return "../../bin/devcluster"
}

func command(arguments ...string) *exec.Cmd { return exec.Command(program(), arguments...) }

// quiet runs a command and, if it fails, tells what it printed.
func quiet(command *exec.Cmd) error {
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, output)
	}
	return nil
}

// devcluster runs the program and returns what it prints.
func devcluster(t *testing.T, arguments ...string) string {
	t.Helper()
	output, err := command(arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("devcluster %s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
	return strings.TrimSpace(string(output))
}

// kubectl runs kubectl on a cluster and returns what it prints.
func kubectl(t *testing.T, cluster string, arguments ...string) string {
	t.Helper()
	return devcluster(t, append([]string{"kubectl", "--name", cluster}, arguments...)...)
}

func apply(cluster, objects string) error {
	apply := command("kubectl", "--name", cluster, "apply", "-f", "-")
	apply.Stdin = strings.NewReader(objects)
	if err := quiet(apply); err != nil {
		return err
	}
	return quiet(command("kubectl", "--name", cluster, "rollout", "status", "deployment/probe", "--timeout=60s"))
}

func status(t *testing.T, cluster string) supervisor.Status {
	t.Helper()
	status, err := readStatus(cluster)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func readStatus(cluster string) (supervisor.Status, error) {
	output := &bytes.Buffer{}
	show := command("status", "--name", cluster, "-o", "json")
	show.Stdout = output
	_ = show.Run() // fails also when the cluster is not ready, which the output tells
	status := supervisor.Status{}
	if err := json.Unmarshal(output.Bytes(), &status); err != nil {
		return status, fmt.Errorf("reading status of %s: %w", cluster, err)
	}
	return status, nil
}

// eventually tries until check passes.
func eventually(t *testing.T, within time.Duration, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %v\nthe supervisor tells:\n%s", within, err, supervisorTells())
		case <-ticker.C:
		}
	}
}

// supervisorTells is the end of the shared cluster's supervisor's log.
func supervisorTells() string {
	const lines = 30
	output, err := command("logs", "supervisor", "--name", shared).CombinedOutput()
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(output)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// ready is nil once everything of the cluster works that is not cut off.
func ready(cluster string) error {
	status, err := readStatus(cluster)
	if err == nil && !status.Ready {
		err = fmt.Errorf("cluster %s is not ready: %v", cluster, status.Nodes)
	}
	return err
}

// ask gets a path from the probe behind address.
func ask(address, path string) (string, error) {
	client := http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + address + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, content)
	}
	return string(content), err
}

// answers asks until the probe answers, and returns what it says.
func answers(t *testing.T, address, path string) (text string) {
	t.Helper()
	eventually(t, 20*time.Second, func() error {
		var err error
		text, err = ask(address, path)
		return err
	})
	return text
}

// balancer is the address the workload's Service has on the machine.
func balancer(t *testing.T, cluster string) string {
	t.Helper()
	address := ""
	eventually(t, 10*time.Second, func() error {
		address = kubectl(t, cluster, "get", "service", "probe", "-o", "jsonpath={.status.loadBalancer.ingress[0].ip}")
		if address == "" {
			return fmt.Errorf("service probe has no address")
		}
		return nil
	})
	return address
}

// podOn is the address of a probe pod on a node, once it has one: a pod that was replaced just now has none yet.
func podOn(t *testing.T, cluster, node string) (address string) {
	t.Helper()
	eventually(t, 20*time.Second, func() error {
		address = kubectl(t, cluster, "get", "pods", "--selector=app=each", "--field-selector=spec.nodeName="+node,
			"-o", "jsonpath={.items[*].status.podIP}")
		if address == "" || strings.Contains(address, " ") {
			return fmt.Errorf("pods on %s have the addresses %q, want one", node, address)
		}
		return nil
	})
	return address + ":8080"
}
