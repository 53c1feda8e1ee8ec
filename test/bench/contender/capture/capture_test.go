package capture_test

import (
	"os"
	"path/filepath"
	"testing"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

const lists = `{"items": [
	{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "cloud"}},
	{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "other"}},
	{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "cloud"}},
	{"apiVersion": "openstack.stackwright.dev/v1alpha1", "kind": "Service",
		"metadata": {"name": "o", "namespace": "cloud"}},
	{"apiVersion": "openstack.stackwright.dev/v1alpha1", "kind": "Service",
		"metadata": {"name": "n", "namespace": "cloud"}},
	{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "k", "namespace": "cloud", "ownerReferences": [
		{"apiVersion": "infra.stackwright.dev/v1alpha1", "kind": "MessageBus", "name": "b", "uid": "u", "controller": true}]},
		"data": {"password": "b3Blbg=="}},
	{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "cloud"}, "data": {"a": "b"}}]}`

func read(t *testing.T, namespace string) (*capture.Cloud, error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"one.json", "again.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(lists), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return capture.Read(dir, namespace)
}

// Objects are told apart by kind and group, those of other namespaces are left out, and a pod counts once.
func TestRead(t *testing.T) {
	c, err := read(t, "cloud")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Pods) != 1 || c.Pods[0].Namespace != "cloud" {
		t.Errorf("there are %d pods", len(c.Pods))
	}
	if len(c.Services) == 0 || c.Services[0].Name != "s" {
		t.Errorf("services are %v", c.Services)
	}
	if of := c.Of("openstack.stackwright.dev", "Service"); len(of) < 2 || of[0].GetName() != "n" {
		t.Errorf("services of OpenStack are %v, want them by name", of)
	}
	if made := c.Made("MessageBus"); len(made) != 1 || string(made[0].Data["password"]) != "open" {
		t.Errorf("Secrets of buses are %v", made)
	}
	if c.ConfigMaps["c"].Data["a"] != "b" {
		t.Error("the ConfigMap is not there")
	}
}

func TestReadNothing(t *testing.T) {
	if _, err := read(t, "none"); err == nil {
		t.Error("a namespace without pods is a cloud")
	}
	if _, err := capture.Read(t.TempDir(), "cloud"); err == nil {
		t.Error("an empty folder is a capture")
	}
}
