package controlplane_test

import (
	"os"
	"strings"
	"testing"

	"stackwright.dev/kit/kittest"
)

// withNova is a control plane beside the cells that Nova would make.
func withNova() kittest.Scenario {
	s := scenario()
	s.Files = append(s.Files, "testdata/cells.yaml")
	s.Children["NovaCell"] = kittest.Told("True", "Ready", "")
	return s
}

// all are the services that Nova needs, and Nova.
func all(nova map[string]any) map[string]any {
	out := ask("glance", "neutron", "placement")
	out["nova"] = nova
	return out
}

func TestNovaIsAddedWithACell(t *testing.T) {
	base, err := os.ReadFile("testdata/minimal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kittest.New(t, withNova()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", all(map[string]any{}))
		p.Settle()
		p.Ready()
		kittest.Golden(t, "testdata/nova.diff", kittest.Diff(string(base), p.Applied()))
		if got := field(p, "Neutron/first-neutron", "spec", "notifyNova"); got != any(true) {
			t.Errorf("Neutron tells Nova: %v", got)
		}
		p.Change(cloud, "spec.services", nil)
		p.Settle()
		p.Ready()
		if p.Object("Nova/first-nova") != nil {
			t.Error("Nova is still there")
		}
	})
}

// A cell that breaks is a trouble of the control plane, and not of Nova.
func TestABrokenCellIsNamed(t *testing.T) {
	kittest.New(t, withNova()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", all(map[string]any{"cells": []any{
			map[string]any{"name": "cell1"}, map[string]any{"name": "far"}}}))
		p.Settle()
		p.Ready()
		p.Behave("NovaCell/first-nova-far", kittest.Told("False", "ConductorReady", "no connection to port 5671"))
		p.Change("NovaCell/first-nova-far", "spec.replicas", int64(2))
		p.Settle()
		wantCondition(t, p, "NovaReady", "True", "Ready", "")
		c := p.Condition(cloud, "NovaCellsReady")
		if c.Status != "False" || !strings.Contains(c.Message, "first-nova-far") {
			t.Errorf("NovaCellsReady is %s: %s", c.Status, c.Message)
		}
	})
}

func TestEveryCrashEndsWithNova(t *testing.T) {
	s := withNova()
	s.Stride = 9
	kittest.New(t, s).Crash(t, func(p *kittest.Play) { p.Change(cloud, "spec.services", all(map[string]any{})) })
}
