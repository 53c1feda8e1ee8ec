package story

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackwright.dev/stackwright/images"
	"stackwright.dev/stackwright/internal/image"
	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/releases"
)

// inside is set in the environment of a process that Inside has started.
const inside = "STORY_INSIDE"

// Inside runs a package's tests in a network namespace of their own, in which there is a bridge br0 with an address. It
// returns the exit code, for TestMain.
func Inside(m *testing.M, namespace, address string) int {
	if os.Getenv(inside) != "" {
		return m.Run()
	}
	flag.Parse()
	if err := fence(namespace, address); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = exec.Command("ip", "netns", "del", namespace).Run() }()
	c := exec.Command("ip", append([]string{"netns", "exec", namespace}, os.Args...)...)
	c.Stdout, c.Stderr, c.Env = os.Stdout, os.Stderr, append(os.Environ(), inside+"=1")
	if c.Run() != nil {
		return 1
	}
	return 0
}

// fence makes a network namespace with the bridge. One in which nothing runs is left from tests that were broken off.
func fence(namespace, address string) error {
	script := fmt.Sprintf("if there=$(ip netns pids %[1]s 2>&1) && [ -z \"$there\" ]; then ip netns del %[1]s; fi; "+
		"ip netns add %[1]s && ip -n %[1]s link set lo up && ip -n %[1]s link add br0 type bridge && "+
		"ip -n %[1]s addr add %[2]s dev br0 && ip -n %[1]s link set br0 up", namespace, address)
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		return fmt.Errorf("making network namespace %s: %w: %s", namespace, err, out)
	}
	return nil
}

// Agent is the program that runs members.
func Agent() string { return filepath.Join(root(), "bin", "stackwright-agent") }

// Layers brings an image up to date and returns the folders of its layers, top first, as overlay takes them.
func Layers(t *testing.T, name string) string {
	t.Helper()
	cache, err := image.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	built, err := image.Build(t.Context(), image.Options{Files: images.Files, Known: releases.Files, Release: "epoxy",
		Images: []string{name}, Cache: cache, Binaries: filepath.Dir(Agent()), Progress: func(said string) { t.Log(said) }})
	if err != nil {
		t.Fatal(err)
	}
	store := &layer.Store{Dir: filepath.Join(cache, "layers")}
	var folders []string
	for _, id := range built.Images[name].Layers {
		l, ok, err := store.Get(id)
		if err != nil || !ok {
			t.Fatalf("layer %s of image %s is not in the store: %v", id, name, err)
		}
		folders = append(folders, l.Root())
	}
	slices.Reverse(folders)
	return strings.Join(folders, ":")
}
