package controlplane_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

func field(p *kittest.Play, ref string, path ...string) any {
	u := p.Object(ref)
	if u == nil {
		return nil
	}
	v, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	return v
}

func image(p *kittest.Play, ref string) any { return field(p, ref, "spec", "image") }

func TestUpgradeIsOneField(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change("OpenStackRelease/flamingo", "spec.images", map[string]any{
			"mariadb": "images.test/mariadb:2", "rabbitmq": "images.test/rabbitmq:2", "memcached": "images.test/memcached:2",
			"keystone": "images.test/keystone:2", "openstackclient": "images.test/openstackclient:2",
		})
		p.Change(cloud, "spec.release", "flamingo")
		p.Settle()
		p.Ready()
		for ref, want := range map[string]string{
			"Galera/first-galera": "images.test/mariadb:2", "RabbitMQ/first-rabbitmq": "images.test/rabbitmq:2",
			"Memcached/first-memcached": "images.test/memcached:2", "Keystone/first-keystone": "images.test/keystone:2",
		} {
			if got := image(p, ref); got != want {
				t.Errorf("image of %s is %v, want %s", ref, got, want)
			}
		}
		if got := field(p, cloud, "status", "deployedRelease"); got != "flamingo" {
			t.Errorf("deployedRelease is %v, want flamingo", got)
		}
	})
}

// What a person sets at an object of the control plane's stays where that says nothing, and else is put back.
func TestWhatOthersSetStays(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", ask("cinder", "ovn"))
		p.Settle()
		p.Ready()
		memory := field(p, "Cinder/first-cinder", "spec", "volume", "resources", "requests", "memory")
		others := map[string]any{"clusterDomain": "k8s.example.org", "electionTimer": int64(10000),
			"inactivityProbe": int64(30000), "caSecret": "ours"}
		for name, value := range others {
			p.Change("OVN/first-ovn", "spec."+name, value)
		}
		p.Change("Cinder/first-cinder", "spec.volume.resources.requests.memory", "7Gi")
		p.Change(cloud, "spec.services", ask("cinder", "ovn", "placement"))
		p.Settle()
		for name, value := range others {
			if got := field(p, "OVN/first-ovn", "spec", name); got != value {
				t.Errorf("%s of OVN is %v, want %v", name, got, value)
			}
		}
		if got := field(p, "Cinder/first-cinder", "spec", "volume", "resources", "requests", "memory"); memory == nil ||
			got != memory {
			t.Errorf("Cinder's volume program has %v of memory, want %v", got, memory)
		}
	})
}

// An upgrade that has begun may have changed databases, whether or not it came to an end.
func TestAnUpgradeUnderWayIsNotTakenBack(t *testing.T) {
	s := scenario()
	s.Children["Keystone"] = kittest.Hold
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Change("OpenStackRelease/epoxy", "spec.openstack", "2025.1")
		p.Change(cloud, "spec.release", "zed")
		p.Settle()
		wantCondition(t, p, "ReleaseReady", "False", "Downgrade", "set spec.release to epoxy")
	})
}

func TestDisabledServiceGoesAndComesBack(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", map[string]any{"rabbitmq": map[string]any{"enabled": false}})
		p.Settle()
		p.Ready()
		if p.Object("RabbitMQ/first-rabbitmq") != nil {
			t.Error("RabbitMQ is still there although it was disabled")
		}
		if c := p.Condition(cloud, "RabbitMQReady"); c.Status != "" {
			t.Errorf("a disabled service still has a condition: %v", c)
		}
		p.Change(cloud, "spec.services", nil)
		p.Settle()
		p.Ready()
		if p.Object("RabbitMQ/first-rabbitmq") == nil {
			t.Error("RabbitMQ did not come back")
		}
	})
}

func TestOverridesWinOverTheSize(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.size", "large")
		p.Change(cloud, "spec.services", map[string]any{
			"galera": map[string]any{"storage": "700Gi"},
			"keystone": map[string]any{"replicas": int64(4),
				"config": map[string]any{"token": map[string]any{"expiration": int64(7200)}}},
		})
		p.Settle()
		p.Ready()
		for _, c := range []struct {
			ref  string
			path []string
			want any
		}{
			{"Galera/first-galera", []string{"spec", "replicas"}, int64(3)},
			{"Galera/first-galera", []string{"spec", "storage", "size"}, "700Gi"},
			{"Keystone/first-keystone", []string{"spec", "replicas"}, int64(4)},
			{"Keystone/first-keystone", []string{"spec", "config", "token", "expiration"}, int64(7200)},
			{"Keystone/first-keystone", []string{"spec", "workers"}, int64(8)},
		} {
			if got := field(p, c.ref, c.path...); got != c.want {
				t.Errorf("%s %v is %v, want %v", c.ref, c.path, got, c.want)
			}
		}
	})
}

// owned is the scenario with more in the spec of its plane, up to the brace that ends it.
func owned(t *testing.T, more string) kittest.Scenario {
	t.Helper()
	s := scenario()
	owner, err := os.ReadFile("testdata/owner.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.Files[1] = filepath.Join(t.TempDir(), "owner.yaml")
	owner = bytes.Replace(owner, []byte("{size: dev}"), []byte("{size: dev"+more), 1)
	if err := os.WriteFile(s.Files[1], owner, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// What is said about images is for Glance; a volume of whom no class is named is of the control plane's.
func TestStoresCacheAndQuotaAreGlances(t *testing.T) {
	s := owned(t, ", storageClass: ssd}")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		bucket := map[string]any{"endpoint": "https://s3.example.org", "bucket": "images", "secret": "bucket"}
		p.Change(cloud, "spec.services", map[string]any{"glance": map[string]any{
			"stores": []any{map[string]any{"name": "far", "s3": bucket},
				map[string]any{"name": "near", "file": map[string]any{"size": "5Gi"}}},
			"cache": map[string]any{"size": "3Gi"}, "projectQuota": "50Gi",
		}})
		p.Settle()
		p.Ready()
		stores, _, _ := unstructured.NestedSlice(p.Object("Glance/first-glance").Object, "spec", "stores")
		want := []any{map[string]any{"name": "far", "s3": bucket}, map[string]any{"name": "near",
			"file": map[string]any{"size": "5Gi", "className": "ssd", "accessMode": "ReadWriteOnce"}}}
		if diff := cmp.Diff(want, stores); diff != "" {
			t.Errorf("the stores differ (-want +got):\n%s", diff)
		}
		for want, path := range map[string][]string{
			"3Gi": {"cache", "size"}, "ssd": {"cache", "className"}, "50Gi": {"projectQuota"},
		} {
			if got := field(p, "Glance/first-glance", append([]string{"spec"}, path...)...); got != want {
				t.Errorf("%v is %v, want %s", path, got, want)
			}
		}
	})
}

func TestTwoControlPlanesShareANamespace(t *testing.T) {
	s := scenario()
	s.Files = append(s.Files, "testdata/second.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change("OpenStackControlPlane/second", "spec.confirmDeletion", "second")
		p.Remove("OpenStackControlPlane/second")
		p.Settle()
		for _, gone := range []string{"Galera/second-galera", "Keystone/second-keystone", "Deployment/second-client"} {
			if p.Object(gone) != nil {
				t.Errorf("%s is left", gone)
			}
		}
		p.Ready()
		for _, kept := range []string{"Galera/first-galera", "Keystone/first-keystone", "Secret/first-ca",
			"Deployment/first-client"} {
			if p.Object(kept) == nil {
				t.Errorf("%s went with the other control plane", kept)
			}
		}
	})
}

func TestTheAuthorityOutlivesTheControlPlane(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		before := field(p, "Secret/first-ca", "data", "tls.crt")
		p.Change(cloud, "spec.confirmDeletion", "first")
		p.Remove(cloud)
		p.Settle()
		if p.Object(cloud) != nil {
			t.Fatal("the control plane is still there")
		}
		if after := field(p, "Secret/first-ca", "data", "tls.crt"); before == nil || after != before {
			t.Error("the authority went or changed although deletionPolicy is Retain")
		}
	})
}

// Everybody who uses the cloud from outside trusts its authority: it comes back as it was, and what is none is told
// before the copy is lost.
func TestTheAuthorityComesBack(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		const name = "Secret/first-ca"
		before := p.Object(name).Object["data"]
		comesBack := func() {
			t.Helper()
			p.Remove(name)
			p.Settle()
			p.Ready()
			if diff := cmp.Diff(before, p.Object(name).Object["data"]); diff != "" {
				t.Errorf("the authority is another one (-before +after):\n%s", diff)
			}
		}
		comesBack()
		p.Change(name, "data", map[string]any{"tls.crt": "c2hvcnQ="})
		p.Settle()
		const want = "Secret first-ca does not hold a CA any more; delete it, and it comes back as it was"
		if c := p.Condition(cloud, "CAReady"); c.Status != "False" || !strings.Contains(c.Message, want) {
			t.Errorf("the condition is %s: %s", c.Status, c.Message)
		}
		comesBack()
	})
}

// What services own in their project is there again when a control plane of the same name is made over the same data.
func TestTheProjectOfServicesIsKeptWithTheData(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", ask("placement"))
		p.Settle()
		may := func() any { return field(p, "Project/first-keystone-service", "spec", "policies") }
		if got := fmt.Sprint(may()); got != "[Create Update]" {
			t.Errorf("with data kept it may be done with the project in Keystone: %s", got)
		}
		p.Change(cloud, "spec.deletionPolicy", "Delete")
		p.Settle()
		if got := may(); got != nil {
			t.Errorf("without data it may be done with the project in Keystone: %s", got)
		}
	})
}

func TestWithoutTLSThereIsNoAuthority(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.deletionPolicy", "Delete")
		p.Change(cloud, "spec.tls", map[string]any{"disabled": true})
		p.Change("Secret/first-keystone-clouds", "data", map[string]any{"clouds.yaml": "Y2xvdWRzOiB7fQ=="})
		p.Settle()
		p.Ready()
		if p.Object("Secret/first-ca") != nil {
			t.Error("the authority's Secret is still there")
		}
		for _, ref := range []string{"Galera/first-galera", "Keystone/first-keystone"} {
			if got := field(p, ref, "spec", "tls", "disabled"); got != any(true) {
				t.Errorf("%s has tls.disabled %v, want true", ref, got)
			}
		}
	})
}

func TestPausedStandsStill(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.paused", true)
		p.Settle()
		p.Change(cloud, "spec.size", "large")
		p.Settle()
		if got := field(p, "Galera/first-galera", "spec", "replicas"); got != int64(1) {
			t.Errorf("a paused control plane changed Galera's replicas to %v", got)
		}
		p.Change(cloud, "spec.paused", false)
		p.Settle()
		p.Ready()
		if got := field(p, "Galera/first-galera", "spec", "replicas"); got != int64(3) {
			t.Errorf("Galera's replicas are %v after the pause, want 3", got)
		}
	})
}

// The pod of the client would go on with the old password until its kubelet hands it the new clouds.yaml.
func TestANewPasswordMakesANewClient(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		annotations := func() any {
			return field(p, "Deployment/first-client", "spec", "template", "metadata", "annotations")
		}
		before := fmt.Sprint(annotations())
		p.Change("Secret/first-keystone-clouds", "data", map[string]any{
			"clouds.yaml": base64.StdEncoding.EncodeToString([]byte("clouds: {other: {}}")), "ca.crt": "Y2E=",
		})
		p.Settle()
		if now := fmt.Sprint(annotations()); now == before {
			t.Errorf("a changed clouds.yaml leaves the client's pods as they were, with %s", now)
		}
	})
}
