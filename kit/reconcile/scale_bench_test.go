//go:build bench

package reconcile_test

import "testing"

// TestScaleOwners is criterion 5 in full.
func TestScaleOwners(t *testing.T) { restart(t, 10000, 5) }

// TestScaleChildren is criterion 6 in full.
func TestScaleChildren(t *testing.T) { restart(t, 1000, 30) }
