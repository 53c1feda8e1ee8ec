package buildingblock_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"
	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/fleet/buildingblock"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

const (
	rack  = "BuildingBlock/cloud/rack-a"
	crowd = "BuildingBlock/cloud/crowd"
)

// scenario is a block in its smallest form, from testdata/<name>.yaml, changed by a merge patch in YAML.
func scenario(t *testing.T, name, patch string) kittest.Scenario {
	t.Helper()
	const definitions = "../../../charts/stackwright-operator/crds/"
	ready := kittest.Told("True", "Ready", "")
	return kittest.Scenario{
		Scheme: operator.Scheme(),
		Controllers: func(http.RoundTripper) ([]kit.Controller, error) {
			c, err := kit.New(buildingblock.Definition(), operator.Scheme())
			return []kit.Controller{c}, err
		},
		CRDs: []string{definitions + "fleet.stackwright.dev_buildingblocks.yaml",
			definitions + "fleet.stackwright.dev_hypervisors.yaml", definitions + "service.stackwright.dev_novas.yaml",
			definitions + "service.stackwright.dev_novacells.yaml", definitions + "infra.stackwright.dev_ovns.yaml",
			definitions + "infra.stackwright.dev_ovnchassis.yaml",
			definitions + "openstack.stackwright.dev_hostaggregates.yaml",
			definitions + "openstack.stackwright.dev_aggregatehosts.yaml",
			definitions + "controlplane.stackwright.dev_openstackreleases.yaml"},
		Files: []string{"testdata/world.yaml", patched(t, name, patch)},
		Children: map[string]kittest.Behaviour{"DaemonSet": onNodes(3),
			"OVNChassis": ready, "HostAggregate": ready, "AggregateHost": ready,
			"Hypervisor": vacancy("Vacant", ready)},
	}
}

// vacancy has a host say which servers would be on it if it left.
func vacancy(v string, b kittest.Behaviour) kittest.Behaviour {
	return kittest.With(b, map[string]any{"vacancy": v})
}

// onNodes has a DaemonSet run on that many nodes.
func onNodes(n int64) kittest.Behaviour {
	return kittest.With(kittest.Ready, map[string]any{"desiredNumberScheduled": n, "currentNumberScheduled": n,
		"updatedNumberScheduled": n, "numberAvailable": n, "numberReady": n})
}

func patched(t *testing.T, name, patch string) string {
	t.Helper()
	base, err := os.ReadFile("testdata/" + name + ".yaml")
	servicetest.Must(t, err)
	doc, err := yaml.YAMLToJSON(base)
	servicetest.Must(t, err)
	if patch != "" {
		change, err := yaml.YAMLToJSON([]byte(patch))
		servicetest.Must(t, err)
		doc, err = jsonpatch.MergePatch(doc, change)
		servicetest.Must(t, err)
	}
	file := filepath.Join(t.TempDir(), name+".yaml")
	servicetest.Must(t, os.WriteFile(file, doc, 0o600))
	return file
}

func TestGolden(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "")).Golden(t, "testdata/minimal.yaml")
}

func TestFakeGolden(t *testing.T) {
	kittest.New(t, scenario(t, "fake", "spec: {fake: {hosts: 2}}")).Golden(t, "testdata/crowd.yaml")
}

func TestBudget(t *testing.T) { kittest.New(t, scenario(t, "libvirt", "")).Budget(t, 0, 0) }
func TestCrash(t *testing.T)  { kittest.New(t, scenario(t, "libvirt", "")).Crash(t, nil) }
func TestDelete(t *testing.T) { kittest.New(t, scenario(t, "libvirt", "")).Delete(t, nil) }

// Each variant is a patch of the smallest block, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	base, err := os.ReadFile("testdata/minimal.yaml")
	servicetest.Must(t, err)
	for name, patch := range map[string]string{
		"qemu": "spec: {libvirt: {virtType: qemu}}",
		"agents": `spec: {agents: {maxUnavailable: 2, libvirt: {resources: {requests: {memory: 64Mi}}},
  novaCompute: {resources: {limits: {memory: 1Gi}}}}, hosts: {tolerations: [{key: servers, operator: Exists}]}}`,
		"disks":   "spec: {storage: {rbd: {secret: ceph-nova, pool: vms}}}",
		"ceph":    "spec: {libvirt: {ceph: [{secret: ceph-cinder}, {secret: rook, user: volumes}]}}",
		"zone":    "spec: {placement: {availabilityZone: north, aggregates: [ssd]}}",
		"options": "spec: {agents: {libvirt: {config: {libvirtd.conf: {max_clients: 4321}}}}}",
		"network": `spec: {ovn: network, agents: {chassis: {image: "images.test/ovn-chassis:2", config: {other_config: {
  max-idle: 30000}}}}, network: {gateway: true, tunnel: {interface: eth1}, bridgeMappings: [{physicalNetwork: public,
  interface: eth2}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t, "libvirt", patch)).Run(t, func(p *kittest.Play) {
				p.Ready()
				kittest.Golden(t, "testdata/"+name+".diff", kittest.Diff(string(base), p.Applied()))
			})
		})
	}
}

func TestFiles(t *testing.T) {
	patch := `spec:
  placement: {overcommit: {cpu: "8.0", memory: "1.5", disk: "2"}, traits: [CUSTOM_GOLD, CUSTOM_SSD]}
  libvirt: {virtType: kvm, cpuMode: custom, cpuModels: [Nehalem, Haswell]}
  config: {libvirt: {images_type: qcow2}}`
	kittest.New(t, scenario(t, "libvirt", patch)).Run(t, func(p *kittest.Play) {
		p.Ready()
		files := servicetest.Secret(p, "rack-a-config")
		kittest.Golden(t, "testdata/block.conf", files["block.conf"])
		kittest.Golden(t, "testdata/provider.yaml", files["provider.yaml"])
	})
}

// A ratio that is declared no more is Nova's first one again: without the option Nova keeps what Placement has. One
// that never was declared stays a matter of those who set it by the API.
func TestOvercommitIsTakenBack(t *testing.T) {
	patch := "spec: {placement: {overcommit: {cpu: '16.0'}}, config: {DEFAULT: {disk_allocation_ratio: 2}}}"
	kittest.New(t, scenario(t, "libvirt", patch)).Run(t, func(p *kittest.Play) {
		p.Ready()
		ratios := func(want string) {
			t.Helper()
			var got []string
			for line := range strings.Lines(servicetest.Secret(p, "rack-a-config")["block.conf"]) {
				if strings.Contains(line, "allocation_ratio = ") {
					got = append(got, strings.TrimSpace(line))
				}
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("the ratios are %s, want %s", strings.Join(got, ", "), want)
			}
		}
		ratios("cpu_allocation_ratio = 16.0, disk_allocation_ratio = 2")
		p.Stop()
		p.Change(rack, "spec.placement.overcommit", nil)
		p.Change(rack, "spec.config", nil)
		p.Start()
		p.Settle()
		p.Ready()
		first := "cpu_allocation_ratio = $initial_cpu_allocation_ratio, " +
			"disk_allocation_ratio = $initial_disk_allocation_ratio"
		ratios(first)
		p.Change(rack, "spec.libvirt", map[string]any{"cpuMode": "host-model"})
		p.Settle()
		ratios(first)
		p.Change(rack, "spec.placement.overcommit", map[string]any{"cpu": "2", "memory": "1.5"})
		p.Settle()
		p.Ready()
		ratios("cpu_allocation_ratio = 2, disk_allocation_ratio = $initial_disk_allocation_ratio, " +
			"ram_allocation_ratio = 1.5")
	})
}

// Hosts that run nothing look at themselves seldom, unless somebody asks for more.
func TestFakeHostsAreCalm(t *testing.T) {
	patch := "spec: {config: {DEFAULT: {update_resources_interval: 60}}}"
	kittest.New(t, scenario(t, "fake", patch)).Run(t, func(p *kittest.Play) {
		p.Ready()
		file := servicetest.Secret(p, "crowd-config")["block.conf"]
		if !strings.Contains(file, "report_interval = 20\n") || !strings.Contains(file, "update_resources_interval = 60\n") {
			t.Errorf("its configuration is\n%s", file)
		}
	})
}

// A node that gets the labels is in the aggregates, and one that loses them is not.
func TestAggregatesFollowTheNodes(t *testing.T) {
	patch := `spec: {hosts: {nodeSelector: {example.org/rack: null, example.org/row: one}},
  placement: {availabilityZone: north, aggregates: [ssd]}}`
	kittest.New(t, scenario(t, "libvirt", patch)).Run(t, func(p *kittest.Play) {
		p.Ready()
		in := func() (out []string) {
			for _, o := range p.Objects() {
				if o.GetKind() == "AggregateHost" {
					host, _, _ := unstructured.NestedString(o.Object, "spec", "resource", "host")
					to, _, _ := unstructured.NestedString(o.Object, "spec", "resource", "aggregateRef", "name")
					out = append(out, to+"="+host)
				}
			}
			slices.Sort(out)
			return out
		}
		if diff := cmp.Diff([]string{"rack-a=node-1", "rack-a=node-2", "ssd=node-1", "ssd=node-2"}, in()); diff != "" {
			t.Error(diff)
		}
		p.Change("Node/node-2", "metadata.labels", map[string]any{})
		p.Settle()
		if diff := cmp.Diff([]string{"rack-a=node-1", "ssd=node-1"}, in()); diff != "" {
			t.Error(diff)
		}
	})
}

func hosts(p *kittest.Play, block string) [2]int64 {
	p.T.Helper()
	o := p.Object(block).Object
	total, _, _ := unstructured.NestedInt64(o, "status", "hosts", "total")
	ready, _, _ := unstructured.NestedInt64(o, "status", "hosts", "ready")
	return [2]int64{total, ready}
}

// As many hosts are ready as have the agent that fewer have.
func TestHostsAreCounted(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		if got := hosts(p, rack); got != [2]int64{3, 3} {
			t.Errorf("total and ready are %v, want 3 of each", got)
		}
		p.Behave("DaemonSet/rack-a-libvirt", kittest.With(onNodes(3), map[string]any{"numberReady": int64(2)}))
		p.Settle()
		if got := hosts(p, rack); got != [2]int64{3, 2} {
			t.Errorf("total and ready are %v, want 3 and 2", got)
		}
	})
	kittest.New(t, scenario(t, "fake", "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		if got := hosts(p, crowd); got != [2]int64{200, 200} {
			t.Errorf("total and ready are %v, want 200 of each", got)
		}
	})
}

// What changes in the cell or in the configuration restarts nova-compute and leaves libvirt alone.
func TestOnlyWhatReadsAChangeRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		object, field string
		value         any
		want          string
	}{
		"the cell": {"Secret/cloud/nova-cell1-compute", "data.hash", "b3RoZXI=", "daemonsets/rack-a-compute"},
		"an option": {rack, "spec.config", map[string]any{"libvirt": map[string]any{"images_type": "raw"}},
			"daemonsets/rack-a-compute secrets/rack-a-config"},
		"an option of libvirt": {rack, "spec.agents.libvirt.config", map[string]any{"libvirtd.conf": map[string]any{
			"max_clients": int64(4321)}}, "daemonsets/rack-a-libvirt secrets/rack-a-libvirt"},
		// The courier beside nova-compute is in it, too.
		"libvirt's image": {rack, "spec.agents.libvirt.image", "images.test/libvirt:2",
			"daemonsets/rack-a-compute daemonsets/rack-a-libvirt"},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
				p.Ready()
				got := strings.Join(servicetest.Writes(p, func() { p.Change(c.object, c.field, c.value) }), " ")
				if got != c.want {
					t.Errorf("it wrote %s, want %s", got, c.want)
				}
				p.Ready()
			})
		})
	}
}

// world is the world with a namespace that takes pods of that level, which is written as YAML has it.
func world(t *testing.T, level string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/world.yaml")
	servicetest.Must(t, err)
	file := filepath.Join(t.TempDir(), "world.yaml")
	servicetest.Must(t, os.WriteFile(file, []byte(strings.Replace(string(text), "privileged", level, 1)), 0o600))
	return file
}

// What cannot work is told with what would be right, and nothing is started.
func TestWhatCannotWorkIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		patch, level, condition, reason, want string
		starts                                bool
	}{
		"no node": {"spec: {hosts: {nodeSelector: {example.org/rack: z}}}", "", "NodesReady", "NoNodes",
			"No node has the labels of spec.hosts.nodeSelector, example.org/rack=z; run kubectl label node NAME", false},
		"pod security": {"", "restricted", "NamespaceReady", "PodSecurity",
			"Namespace cloud has Pod Security level restricted, and agents of hosts need privileged; run kubectl label", false},
		"no pod security": {"", "''", "NamespaceReady", "PodSecurity",
			"Namespace cloud has Pod Security level none, and agents of hosts need privileged; run kubectl label", false},
		"no cell": {"spec: {cell: nowhere}", "", "HostsReady", "",
			"NovaCell nowhere does not exist in namespace cloud; create it.", false},
		"an option": {"spec: {config: {libvirt: {image_type: raw}}}", "", "ConfigReady", "InvalidConfig",
			"nova-compute of release epoxy has no option image_type in section [libvirt]; did you mean images_type?", false},
		"a release": {"spec: {release: austin}", "", "ConfigReady", "InvalidConfig",
			"take a release that the operator knows", false},
		"no image": {"spec: {release: austin, agents: {novaCompute: {image: a}}}", "", "ImagesReady", "ImageMissing",
			"OpenStackRelease austin names no image for libvirt, or does not exist; add it to spec.images of the release, or " +
				"set spec.agents.libvirt.image.", false},
		"disks without a Ceph": {"spec: {storage: {rbd: {secret: rook, user: volumes, pool: vms}}}", "", "ConfigReady",
			"InvalidCeph", "the Secret rook has no ceph.conf; add it, or say in the field monitors", false},
		"disks said again": {
			"spec: {storage: {rbd: {secret: ceph-nova, pool: vms}}, config: {libvirt: {images_rbd_pool: a}}}", "", "ConfigReady",
			"InvalidConfig", "spec.config.libvirt.images_rbd_pool says again where disks are; spec.storage " +
				"does, take the option out", false},
		"disks said half": {"spec: {config: {libvirt: {images_type: rbd}}}", "", "ConfigReady", "InvalidConfig",
			"spec.config.libvirt.images_type is rbd, and hosts do not know a Ceph by that; say in spec.storage.rbd", false},
		"a Ceph without a key": {"spec: {libvirt: {ceph: [{secret: rook, user: images}]}}", "", "KeysReady", "InvalidCeph",
			"the Secret rook has no key of the user images; add it as key", true},
		"two Cephs, one name": {"spec: {libvirt: {ceph: [{secret: rook}, {secret: rook-of-another}]}}", "", "KeysReady",
			"InvalidCeph", "the Secrets rook and rook-of-another have different keys of user volumes, and hosts can keep " +
				"only one of them: if they are of two Cephs, add the key fsid to the Secrets of both", true},
		"no OVN": {"spec: {ovn: nowhere}", "", "MetadataReady", "",
			"OVN nowhere does not exist in namespace cloud; create it.", true},
		"an option of metadata": {
			"spec: {ovn: network, agents: {metadata: {config: {DEFAULT: {metadata_worker: 3}}}}}", "", "MetadataReady",
			"InvalidConfig", "spec.agents.metadata.config: ovn-metadata of release epoxy has no option metadata_worker in " +
				"section [DEFAULT]; did you mean metadata_workers?", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenario(t, "libvirt", c.patch)
			if c.level != "" {
				s.Files[0] = world(t, c.level)
			}
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Settle()
				got := p.Condition(rack, c.condition)
				if got.Status == metav1.ConditionTrue || c.reason != "" && got.Reason != c.reason ||
					!strings.Contains(got.Message, c.want) {
					t.Errorf("the condition is %s %s: %s\nwant %s: %s", got.Status, got.Reason, got.Message, c.reason, c.want)
				}
				if p.Object("DaemonSet/cloud/rack-a-compute") != nil && !c.starts {
					t.Error("nova-compute was started")
				}
			})
		})
	}
}

// A block that is called like its cell would write the cell's Secrets, and the cell the block's, for ever. Whoever was
// there first, the block says so and leaves them alone.
func TestANameIsTaken(t *testing.T) {
	cells := servicetest.SecretOf("rack-a-config", map[string][]byte{"nova.conf": []byte("[DEFAULT]")})
	cells.SetNamespace("cloud")
	cells.SetLabels(map[string]string{apply.LabelController: "novacell", apply.LabelPartOf: "applyset-of-the-cell"})
	cells.SetAnnotations(map[string]string{apply.AnnotationOwner: "cloud/rack-a"})
	refuses := func(p *kittest.Play) {
		p.T.Helper()
		_, writes := p.During(func() { p.Pass(5 * time.Minute) })
		const want = "the Secret rack-a-config belongs to rack-a of operator novacell, and the names of their objects are " +
			"the same; make a BuildingBlock of another name"
		if c := p.Condition(rack, "ConfigReady"); c.Reason != "NameTaken" || !strings.Contains(c.Message, want) {
			p.T.Errorf("ConfigReady is %s: %s", c.Reason, c.Message)
		}
		got := p.Object("Secret/cloud/rack-a-config").GetLabels()[apply.LabelController]
		if got != "novacell" || len(writes) > 0 {
			p.T.Errorf("the Secret is that of %s, and at rest these are written: %v", got, writes)
		}
	}
	t.Run("before", func(t *testing.T) {
		s := scenario(t, "libvirt", "")
		file := filepath.Join(t.TempDir(), "cells.yaml")
		text, err := yaml.Marshal(cells.Object)
		servicetest.Must(t, err)
		servicetest.Must(t, os.WriteFile(file, text, 0o600))
		s.Files = slices.Insert(s.Files, 1, file)
		kittest.New(t, s).Run(t, func(p *kittest.Play) {
			p.Settle()
			refuses(p)
			if p.Object("DaemonSet/cloud/rack-a-compute") != nil || p.Object("ServiceAccount/cloud/rack-a") != nil {
				t.Error("the block makes objects")
			}
		})
	})
	t.Run("after", func(t *testing.T) {
		kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
			p.Ready()
			taken := p.Object("Secret/cloud/rack-a-config")
			taken.SetLabels(cells.GetLabels())
			taken.SetAnnotations(cells.GetAnnotations())
			servicetest.Must(t, p.Client.Update(p.T.Context(), taken))
			p.Settle()
			refuses(p)
			if p.Object("DaemonSet/cloud/rack-a-compute") == nil {
				t.Error("agents of hosts were taken away")
			}
		})
	})
}

// A node belongs to the block that was there first; the other one says so and works once it selects other nodes.
func TestANodeBelongsToOneBlock(t *testing.T) {
	s := scenario(t, "libvirt", "")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Pass(time.Second)
		second := p.Object(rack).DeepCopy()
		second.SetName("row-one")
		servicetest.Must(t, unstructured.SetNestedStringMap(second.Object,
			map[string]string{"example.org/row": "one"}, "spec", "hosts", "nodeSelector"))
		comesSecond(p, second)
		p.Change("BuildingBlock/cloud/row-one", "spec.hosts.nodeSelector", map[string]any{"example.org/rack": "b"})
		p.Settle()
		if c := p.Condition("BuildingBlock/cloud/row-one", "Ready"); c.Status != metav1.ConditionTrue {
			t.Errorf("with nodes of its own the block is %s: %s", c.Reason, c.Message)
		}
	})
}

// comesSecond makes a block of nodes that rack has, which is refused and starts nothing.
func comesSecond(p *kittest.Play, block *unstructured.Unstructured) {
	p.T.Helper()
	block.SetResourceVersion("")
	block.SetUID("")
	servicetest.Must(p.T, p.Client.Create(p.T.Context(), block))
	p.Settle()
	name := block.GetNamespace() + "/" + block.GetName()
	c := p.Condition("BuildingBlock/"+name, "NodesReady")
	if c.Reason != "NodesTaken" || !strings.Contains(c.Message, "BuildingBlock cloud/rack-a has node-1 already") {
		p.T.Errorf("NodesReady is %s: %s", c.Reason, c.Message)
	}
	if p.Object("DaemonSet/"+name+"-libvirt") != nil {
		p.T.Error("libvirt was started twice on a node")
	}
}

// That goes for blocks of two clouds, too, which may have one name.
func TestANodeBelongsToOneCloud(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace",
			"metadata": map[string]any{"name": "second"}}})
		p.Pass(time.Second)
		other := p.Object(rack).DeepCopy()
		other.SetNamespace("second")
		comesSecond(p, other)
		if c := p.Condition(rack, "Ready"); c.Status != metav1.ConditionTrue {
			t.Errorf("the block that was there first is %s: %s", c.Reason, c.Message)
		}
		p.Remove(rack)
		p.Settle()
		if c := p.Condition("BuildingBlock/second/rack-a", "NodesReady"); c.Status != metav1.ConditionTrue {
			t.Errorf("when the other one has gone NodesReady is %s: %s", c.Reason, c.Message)
		}
	})
}
