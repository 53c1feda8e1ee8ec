package devceph_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/devceph"
	"stackwright.dev/stackwright/internal/infra/infratest"
)

const (
	object = "DevCeph/cloud/ceph"
	set    = "StatefulSet/cloud/ceph"
)

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	return infratest.Scenario(t, func(http.RoundTripper) kit.Definition[*infrav1.DevCeph] {
		return devceph.Definition()
	}, "devcephs")
}

func TestGolden(t *testing.T)   { kittest.New(t, scenario(t)).Golden(t, "testdata/minimal.yaml") }
func TestLongName(t *testing.T) { infratest.LongName(t, scenario(t), object) }
func TestBudget(t *testing.T)   { kittest.New(t, scenario(t)).Budget(t, 0, 0) }
func TestCrash(t *testing.T)    { kittest.New(t, scenario(t)).Crash(t, nil) }
func TestDelete(t *testing.T) {
	kittest.New(t, scenario(t)).Delete(t, func(p *kittest.Play) { p.Change(object, "spec.deletionPolicy", "Delete") })
}

// secret is what a Secret has, decoded.
func secret(p *kittest.Play, name string) map[string]string {
	p.T.Helper()
	u := p.Object("Secret/cloud/" + name)
	if u == nil {
		p.T.Fatalf("there is no Secret %s", name)
	}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	out := map[string]string{}
	for k, v := range data {
		text, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			p.T.Fatal(err)
		}
		out[k] = string(text)
	}
	return out
}

// A client's Secret has all that it takes to use Ceph, and nothing by which it could do more.
func TestClientsGetAllTheyNeed(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		got := secret(p, "ceph-cinder")
		ip, _, _ := unstructured.NestedString(p.Object("Service/cloud/ceph").Object, "spec", "clusterIP")
		fsid := got["fsid"]
		if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(fsid) {
			t.Errorf("fsid is %q, want a UUID", fsid)
		}
		want := map[string]string{
			"ceph.conf": "[global]\nfsid = " + fsid + "\nmon_host = [v2:" + ip + ":3300,v1:" + ip + ":6789]\n",
			"keyring":   "[client.cinder]\n\tkey = " + got["key"] + "\n",
			"user":      "cinder", "key": got["key"], "fsid": fsid,
		}
		for k, v := range want {
			if got[k] != v {
				t.Errorf("%s is\n%s, want\n%s", k, got[k], v)
			}
		}
		if len(got) != len(want) {
			t.Errorf("the Secret has %d keys, want %d", len(got), len(want))
		}
		monitors, _, _ := unstructured.NestedStringSlice(p.Object(object).Object, "status", "monitors")
		if !slices.Equal(monitors, []string{"ceph.cloud.svc:3300"}) {
			t.Errorf("status.monitors is %v, want the Service", monitors)
		}
	})
}

// Ceph reads a key as its kind, a time, its length and 16 bytes.
func TestKeysAreCephs(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		seen := map[string]bool{}
		keys := secret(p, "ceph-keys")
		delete(keys, "fsid")
		for name, key := range keys {
			raw, err := base64.StdEncoding.DecodeString(key)
			head := hex.EncodeToString(raw[:min(2, len(raw))]) + hex.EncodeToString(raw[min(10, len(raw)):min(12, len(raw))])
			if err != nil || len(raw) != 28 || head != "01001000" {
				t.Errorf("the key of %s is %x: %v", name, raw, err)
			}
			seen[key] = true
		}
		if len(keys) != 6 || len(seen) != len(keys) {
			t.Errorf("there are %d keys, %d of them different; want 6", len(keys), len(seen))
		}
	})
}

func TestCaps(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		clients := secret(p, "ceph-config")["clients"]
		for _, want := range []string{
			"\tcaps mon = \"profile rbd\"\n\tcaps osd = \"profile rbd pool=images\"\n\tcaps mgr = \"profile rbd pool=images\"\n",
			"\tcaps osd = \"profile rbd pool=volumes, profile rbd-read-only pool=images\"\n" +
				"\tcaps mgr = \"profile rbd pool=volumes\"\n",
		} {
			if !strings.Contains(clients, want) {
				t.Errorf("the clients are\n%swant\n%s", clients, want)
			}
		}
		if strings.Contains(clients, "admin") {
			t.Error("the clients' keyring has the administrator")
		}
	})
}

func jobs(p *kittest.Play) []string {
	var out []string
	for _, u := range p.Objects() {
		if u.GetKind() == "Job" {
			out = append(out, u.GetName())
		}
	}
	return out
}

func restarts(p *kittest.Play) string {
	p.T.Helper()
	notes, _, _ := unstructured.NestedStringMap(p.Object(set).Object, "spec", "template", "metadata", "annotations")
	return notes["infra.stackwright.dev/config"]
}

// Pools and clients come and go without the pod being restarted; keys stay.
func TestChangesDoNotRestart(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		before, made, key := restarts(p), jobs(p), secret(p, "ceph-cinder")["key"]
		p.Change(object, "spec.pools", []any{map[string]any{"name": "images"}, map[string]any{"name": "volumes"},
			map[string]any{"name": "vms"}})
		p.Change(object, "spec.clients", []any{
			map[string]any{"name": "cinder", "pools": []any{"volumes"}},
			map[string]any{"name": "nova", "pools": []any{"vms"}},
		})
		p.Settle()
		p.Ready()
		if p.Object("Secret/cloud/ceph-glance") != nil {
			t.Error("the Secret of a client that is gone is still there")
		}
		if restarts(p) != before {
			t.Error("a new pool restarts Ceph")
		}
		if now := jobs(p); slices.Equal(now, made) {
			t.Errorf("the jobs are %v as before: nothing makes the new pool", now)
		}
		if secret(p, "ceph-cinder")["key"] != key {
			t.Error("the key of a client that stays is another one")
		}
		if _, ok := secret(p, "ceph-keys")["client.glance"]; ok {
			t.Error("the key of a client that is gone is still there")
		}
	})
}

func TestUnknownPoolIsRefused(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Change(object, "spec.clients", []any{map[string]any{"name": "nova", "pools": []any{"vms"}}})
		p.Settle()
		c := p.Condition(object, "PoolsKnown")
		if c.Reason != "UnknownPool" || !strings.Contains(c.Message, "Client nova is to use pool vms") {
			t.Errorf("PoolsKnown is %s: %s", c.Reason, c.Message)
		}
	})
}

// A Ceph cannot be read without its keys, so that others would only hide the loss.
func TestLostKeysAreNotReplaced(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := secret(p, "ceph-keys")
		p.Remove("Secret/cloud/ceph-keys")
		p.Settle()
		p.Ready()
		if diff := cmp.Diff(before, secret(p, "ceph-keys")); diff != "" {
			t.Errorf("deleted, the keys come back as others (-before +after):\n%s", diff)
		}
		p.Stop()
		p.Remove("Secret/cloud/ceph-keys")
		p.Remove("Secret/cloud/ceph-keys-copy")
		p.Start()
		p.Settle()
		c := p.Condition(object, "Ready")
		if c.Status != "False" || !strings.Contains(c.Message, "Secret ceph-keys is gone") {
			t.Errorf("Ready is %s: %s", c.Status, c.Message)
		}
		if p.Object("Secret/cloud/ceph-keys") != nil {
			t.Error("other keys were made")
		}
	})
}

// A DevCeph of the same name takes up data and keys of one that was deleted.
func TestDataIsKept(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		fsid := secret(p, "ceph-keys")["fsid"]
		p.Remove(object)
		p.Settle()
		if p.Object("PersistentVolumeClaim/cloud/ceph-data") == nil || secret(p, "ceph-keys")["fsid"] != fsid {
			t.Error("the volume or its keys are gone")
		}
		if p.Object(set) != nil || p.Object("Secret/cloud/ceph-cinder") != nil {
			t.Error("the pod or the Secret of a client is still there")
		}
	})
}
