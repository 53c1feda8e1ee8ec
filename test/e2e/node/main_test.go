//go:build e2e

// Package node tests what users of the cloud see when a node of its cluster is lost. It has a cluster of three nodes of
// its own.
package node

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"stackwright.dev/stackwright/test/e2e/story"
)

// three is the cluster of this package.
func three() story.Cluster { return story.Cluster{Name: "three", Nodes: 3} }

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := three()
	c.Log = os.Stderr
	if os.Getenv("KEEP") == "" {
		defer func() { _ = c.Down(context.WithoutCancel(ctx)) }()
	}
	file, err := filepath.Abs("testdata/three.yaml")
	if err == nil {
		err = c.Install(ctx, "--file", file)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\nkept what there is in %s\n", err, c.Keep("three"))
		return 1
	}
	return m.Run()
}
