//go:build e2e

// Package e2e has user stories as tests, one file each, on a real cluster with a real OpenStack.
package e2e

import (
	"os"
	"testing"

	"stackwright.dev/stackwright/test/e2e/story"
)

func TestMain(m *testing.M) { os.Exit(story.Main(m)) }
