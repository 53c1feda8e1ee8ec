package cinder_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/cinder"
)

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: "Cinder/cloud/cinder", Service: "cinder", Option: "rbd.rbd_max_clone_depth", Value: "3",
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(cinder.Definition(cluster), operator.Scheme())
		},
		Stable: []string{"scheduler", "volume-rbd"}, Ordered: []string{"scheduler"},
		Definitions: []string{"openstack.stackwright.dev_volumetypes"},
	}
}

func TestPromises(t *testing.T) { kind().Promises(t) }

// With a back end whose name is as long as goes with it.
func TestLongName(t *testing.T) {
	const patch = "spec: {backends: [{name: fastest, rbd: {secret: ceph-cinder, pool: volumes}}]}"
	infratest.LongName(t, kind().Scenario(t, patch), kind().Object)
}

// The pods of a back end are named after both, and a name of more than 52 characters leaves no room for the revision in
// their label controller-revision-hash: nobody would make them.
func TestLongNamesOfBoth(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		long := p.Object(kind().Object)
		long.SetName("cinder-with-a-name-of-30-chars")
		long.SetResourceVersion("")
		backend := map[string]any{"name": "backend-of-20-chars1", "driver": "example.Driver"}
		if err := unstructured.SetNestedSlice(long.Object, []any{backend}, "spec", "backends"); err != nil {
			t.Fatal(err)
		}
		if err := p.Client.Create(p.T.Context(), long); err == nil || !strings.Contains(err.Error(), "at most 44") {
			t.Errorf("a Cinder and a back end are taken whose names are too long for the pods of both: %v", err)
		}
	})
}

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "cinder-config")
		password := servicetest.Secret(p, "cinder-user")["password"]
		for _, file := range []string{"cinder.conf", "uwsgi.ini", "ceph-rbd.conf", "ceph-rbd.keyring"} {
			kittest.Golden(t, "testdata/"+file, strings.ReplaceAll(config[file], password, "HIDDEN"))
		}
	})
}

const (
	rook = "{name: fast, rbd: {secret: rook-ceph-client-volumes, pool: volumes, monitors: ['192.0.2.1:3300']}}"
	nfs  = "{name: files, nfs: {shares: ['192.0.2.5:/volumes', 'filer.example.org:/more']}}"
	far  = "{name: far, driver: example.Driver, image: 'images.example.org/far:1'}"
)

// Each variant is a patch of the smallest Cinder, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"none": "spec: {backends: []}",
		"backends": "spec: {backends: [" + rook + ", " + nfs + ", " + far +
			"], volume: {resources: {requests: {memory: 1Gi}}}}",
		"plain":  "spec: {tls: {disabled: true}}",
		"backup": "spec: {backup: {replicas: 2, rbd: {secret: ceph-backup, pool: backups}}, scheduler: {replicas: 2}}",
	})
}

// Every back end has the options of its driver in a section named like it.
func TestBackendsAreConfigured(t *testing.T) {
	s := kind().Scenario(t, `spec:
  backends: [`+rook+`, `+nfs+`, `+far+`]
  backup: {rbd: {secret: ceph-backup, pool: backups}}
  notifications: true
  config: {files: {nfs_sparsed_volumes: false}, far: {far_away: very}}`)
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "cinder-config")
		for _, want := range []string{
			"default_volume_type = fast\n", "backup_ceph_user = backup\n", "backup_ceph_pool = backups\n",
			"[fast]\nrbd_ceph_conf = /etc/stackwright/config/ceph-fast.conf\nrbd_pool = volumes\n",
			"rbd_user = volumes\nreport_discard_supported = true\nvolume_backend_name = fast\n" +
				"volume_driver = cinder.volume.drivers.rbd.RBDDriver\n",
			"nfs_shares_config = /etc/stackwright/config/nfs-files.shares\n", "nfs_sparsed_volumes = false\n",
			"[far]\nfar_away = very\nvolume_backend_name = far\nvolume_driver = example.Driver\n",
			"driver = messagingv2\n",
		} {
			if !strings.Contains(config["cinder.conf"], want) {
				t.Errorf("the configuration lacks\n%s\nit is\n%s", want, config["cinder.conf"])
			}
		}
		for file, want := range map[string]string{
			"ceph-fast.conf": "[global]\nmon_host = 192.0.2.1:3300\n[client.volumes]\n" +
				"keyring = /etc/stackwright/config/ceph-fast.keyring\n",
			"ceph-fast.keyring": "[client.volumes]\nkey = AR==\n",
			"nfs-files.shares":  "192.0.2.5:/volumes\nfiler.example.org:/more\n",
		} {
			if config[file] != want {
				t.Errorf("%s is\n%s, want\n%s", file, config[file], want)
			}
		}
	})
}

// What is wrong with a back end is said before a pod changes.
func TestWrongBackendsAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ patch, want string }{
		"no Secret": {"spec: {backends: [{name: rbd, rbd: {secret: nowhere, pool: volumes}}]}",
			"Secret nowhere does not exist in namespace cloud; create it."},
		"no monitors": {"spec: {backends: [{name: rbd, rbd: {secret: rook-ceph-client-volumes, pool: volumes}}]}",
			"the Secret rook-ceph-client-volumes has no ceph.conf; add it, or say in the field monitors"},
		"two Cephs, one name": {"spec: {backends: [{name: slow, rbd: {secret: rook-of-another, user: volumes, " +
			"pool: volumes, monitors: ['192.0.2.7:3300']}}, " + rook + "]}",
			"the Secrets rook-of-another and rook-ceph-client-volumes have different keys of user volumes, and hosts can keep " +
				"only one of them: if they are of two Cephs, add the key fsid to the Secrets of both"},
		"LVM": {"spec: {backends: [{name: disks, driver: cinder.volume.drivers.lvm.LVMVolumeDriver}]}",
			"back end disks is of LVM, which takes root and the disks of one node, and pods have neither; keep volumes in a " +
				"Ceph with rbd, or name the driver of a storage that is reached over the network"},
		"an option": {"spec: {config: {rbd: {rbd_max_clone_deptx: 3}}}",
			"section [rbd] takes no option rbd_max_clone_deptx; did you mean rbd_max_clone_depth?"},
		"a value": {"spec: {config: {rbd: {rbd_max_clone_depth: deep}}}", "[rbd] rbd_max_clone_depth must be"},
	} {
		t.Run(name, func(t *testing.T) {
			s := kind().Scenario(t, c.patch)
			s.Files = append(s.Files, "testdata/given.yaml")
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Settle()
				if got := p.Condition(kind().Object, "ConfigReady"); !strings.Contains(got.Message, c.want) {
					t.Errorf("ConfigReady is %s: %s, want %q in it", got.Reason, got.Message, c.want)
				}
				if p.Object("StatefulSet/cloud/cinder-volume-rbd") != nil ||
					p.Object("StatefulSet/cloud/cinder-volume-slow") != nil {
					t.Error("the back end's program runs")
				}
			})
		})
	}
}

// A back end's program is known by the name of the Cinder and its own, whatever pod it runs in: volumes have that in
// their records. There are never two of it.
func TestBackendsHaveNamesThatStay(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		set := p.Object("StatefulSet/cloud/cinder-volume-rbd").Object
		containers, _, _ := unstructured.NestedSlice(set, "spec", "template", "spec", "containers")
		env := map[string]any{}
		for _, e := range containers[0].(map[string]any)["env"].([]any) {
			env[e.(map[string]any)["name"].(string)] = e.(map[string]any)["value"]
		}
		if env["OS_DEFAULT__HOST"] != "cinder" || env["OS_DEFAULT__ENABLED_BACKENDS"] != "rbd" {
			t.Errorf("the program's environment is %v", env)
		}
		if n, _, _ := unstructured.NestedInt64(set, "spec", "replicas"); n != 1 {
			t.Errorf("there are %d programs", n)
		}
	})
}

// Copies of images and of volumes take minutes, and nobody begins them again when a pod is replaced.
func TestCopiesMayEnd(t *testing.T) {
	s := kind().Scenario(t, "spec: {backup: {rbd: {secret: ceph-backup, pool: backups}}}")
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		for name, want := range map[string]int64{"scheduler": 60, "volume-rbd": 600, "backup": 600} {
			set := p.Object("StatefulSet/cloud/cinder-" + name).Object
			got, _, _ := unstructured.NestedInt64(set, "spec", "template", "spec", "terminationGracePeriodSeconds")
			if got != want {
				t.Errorf("%s has %d s to end what it has begun, want %d", name, got, want)
			}
		}
	})
}

// The record of a back end that is taken out is removed when its pod is gone, and so is the object of its volume
// type.
func TestBackendIsForgotten(t *testing.T) {
	s := kind().Scenario(t, "spec: {backends: [{name: rbd, rbd: {secret: ceph-cinder, pool: volumes}}, "+nfs+"]}")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change(kind().Object, "spec.backends", []any{map[string]any{"name": "rbd",
			"rbd": map[string]any{"secret": "ceph-cinder", "pool": "volumes"}}})
		p.Settle()
		p.Ready()
		if p.Object("StatefulSet/cloud/cinder-volume-files") != nil {
			t.Error("the program is still there")
		}
		if p.Object("VolumeType/cloud/cinder-files") != nil {
			t.Error("the object of its type of volumes is still there")
		}
		if _, command := forgets(p); !slices.Equal(command[len(command)-2:], []string{"--backends", "rbd"}) {
			t.Errorf("the Job that removes records runs %v", command)
		}
	})
}

// Over a database that was kept, records of programs that the Cinder before had are removed; a new one has none.
func TestRecordsOfAnEarlierCinderAreForgotten(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		if first, _ := forgets(p); first != "" {
			t.Errorf("over a new database there runs %s", first)
		}
		again := p.Object(kind().Object).DeepCopy()
		p.Remove(kind().Object)
		p.Settle()
		if p.Object("Secret/cloud/cinder-db") == nil {
			t.Fatal("the database's Secret is gone")
		}
		p.Pass(time.Minute)
		again.Object = map[string]any{"apiVersion": again.GetAPIVersion(), "kind": again.GetKind(),
			"metadata": map[string]any{"name": again.GetName(), "namespace": again.GetNamespace()}, "spec": again.Object["spec"]}
		servicetest.Must(t, p.Client.Create(p.T.Context(), again))
		p.Settle()
		p.Ready()
		if job, _ := forgets(p); job == "" {
			t.Error("over a database that was kept no record is removed")
		}
	})
}

// forgets is the Job that removes records, and what it runs.
func forgets(p *kittest.Play) (name string, command []string) {
	for _, job := range servicetest.Jobs(p) {
		if strings.HasPrefix(job, "cinder-services-") {
			containers, _, _ := unstructured.NestedSlice(p.Object("Job/cloud/"+job).Object, "spec", "template", "spec",
				"containers")
			name = job
			command, _, _ = unstructured.NestedStringSlice(containers[0].(map[string]any), "command")
		}
	}
	return name, command
}

// The record of a back end that comes and goes before a Job has heard of it is removed, too: what there is then is what
// there was, but a program has run in between.
func TestBackendThatComesAndGoesIsForgotten(t *testing.T) {
	backend := func(name string) any {
		return map[string]any{"name": name, "rbd": map[string]any{"secret": "ceph-cinder", "pool": "volumes"}}
	}
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		first, _ := forgets(p)
		p.Behave("StatefulSet/cinder-volume-other", kittest.Hold)
		p.Change(kind().Object, "spec.backends", []any{backend("rbd"), backend("other")})
		p.Pass(time.Minute)
		if p.Object("StatefulSet/cloud/cinder-volume-other") == nil {
			t.Fatal("the other program does not run")
		}
		if now, _ := forgets(p); first != "" || now != "" {
			t.Fatal("records are removed before the programs are there")
		}
		p.Change(kind().Object, "spec.backends", []any{backend("rbd")})
		p.Settle()
		p.Ready()
		second, again := forgets(p)
		if second == "" || !slices.Equal(again[len(again)-2:], []string{"--backends", "rbd"}) {
			t.Errorf("Job %s runs %v", second, again)
		}
		p.Restart()
		p.Settle()
		if now, _ := forgets(p); now != second {
			t.Errorf("with nothing to be done, Job %s comes after %s", now, second)
		}
	})
}

// Volumes have a type, so that Cinder keeps it; its object would hold the Cloud after Cinder has gone.
func TestTypesOfVolumesStayInCinderAlone(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "spec: {backends: ["+nfs+"]}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		name := "VolumeType/cloud/cinder-files"
		made := p.Object(name)
		if made == nil {
			t.Fatal("there is no " + name)
		}
		spec, _, _ := unstructured.NestedMap(made.Object, "spec")
		if got := fmt.Sprintf("%s %s", spec["policy"], spec["policies"]); got != "adopt [Create Update]" {
			t.Errorf("its policies are %s", got)
		}
		p.Remove(kind().Object)
		p.Settle()
		if p.Object(name) != nil {
			t.Error(name + " is left behind")
		}
	})
}

// Cinder knows its programs by the names of their pods, so that a pod makes room before the next one works. When that
// one does not start, the condition says that none is left.
func TestAPodThatMadeRoomIsTold(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Behave("StatefulSet/cinder-scheduler", func(_ *kittest.Play, u *unstructured.Unstructured) map[string]any {
			return map[string]any{"observedGeneration": u.GetGeneration(), "updateRevision": "wrong",
				"readyReplicas": int64(0), "availableReplicas": int64(0)}
		})
		p.Change(kind().Object, "spec.config", map[string]any{
			"DEFAULT": map[string]any{"scheduler_default_filters": "NoSuchFilter"}})
		p.Settle()
		want := "StatefulSet cinder-scheduler has 0 of 1 pods available, and no old pod serves meanwhile; see kubectl"
		if c := p.Condition(kind().Object, "SchedulerReady"); !strings.HasPrefix(c.Message, want) {
			t.Errorf("SchedulerReady is %s: %s\nwant %s at its beginning", c.Status, c.Message, want)
		}
		p.Behave("StatefulSet/cinder-scheduler", kittest.Ready)
		p.Change(kind().Object, "spec.config", nil)
		p.Settle()
		p.Ready()
	})
}
