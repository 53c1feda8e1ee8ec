package glance_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/glance"
)

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: "Glance/cloud/glance", Service: "glance", Option: "image_format.require_image_format_match", Value: "false",
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(glance.Definition(cluster), operator.Scheme())
		},
	}
}

func TestPromises(t *testing.T) { kind().Promises(t) }

// With the longest name of a store, too.
func TestLongName(t *testing.T) {
	const patch = "spec: {stores: [{name: a-store-with-a-name-of-40-characters-xxx, file: {}}]}"
	infratest.LongName(t, kind().Scenario(t, patch), kind().Object)
}

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "glance-config")
		password := servicetest.Secret(p, "glance-user")["password"]
		kittest.Golden(t, "testdata/glance-api.conf", strings.ReplaceAll(config["glance-api.conf"], password, "HIDDEN"))
		kittest.Golden(t, "testdata/uwsgi.ini", config["uwsgi.ini"])
	})
}

// Each variant is a patch of the smallest Glance, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"replicas": "spec: {replicas: 3}",
		"plain":    "spec: {tls: {disabled: true}}",
		"bus":      "spec: {rabbitmq: bus}",
		"shared":   "spec: {stores: [{name: images, file: {accessMode: ReadWriteMany}}]}",
		"two": "spec: {stores: [{name: fast, file: {size: 5Gi, className: ssd}}," +
			" {name: large, file: {size: 1Ti, accessMode: ReadWriteMany}}]}",
		"rbd":   "spec: {stores: [{name: ceph, rbd: {secret: ceph-glance, pool: images}}]}",
		"s3":    "spec: {stores: [" + far + "]}",
		"swift": "spec: {stores: [" + away + "]}",
		"cache": "spec: {stores: [" + far + "], cache: {size: 30Gi, className: ssd}}",
	})
}

// The configuration names every store, the first one as the default, and takes options of each by its name.
func TestStoresAreConfigured(t *testing.T) {
	patch := "spec: {config: {large: {store_description: For much}}, stores: [{name: fast, file: {}}, " +
		"{name: large, file: {}}]}"
	kittest.New(t, kind().Scenario(t, patch)).Run(t, func(p *kittest.Play) {
		p.Ready()
		conf := servicetest.Secret(p, "glance-config")["glance-api.conf"]
		for _, want := range []string{
			"enabled_backends = fast:file,large:file\n", "default_backend = fast\n",
			"[fast]\nfilesystem_store_datadir = /var/lib/glance/stores/fast/images\n",
			"[large]\nfilesystem_store_datadir = /var/lib/glance/stores/large/images\nstore_description = For much\n",
			"[os_glance_staging_store]\nfilesystem_store_datadir = /var/lib/glance/stores/fast/staging\n",
		} {
			if !strings.Contains(conf, want) {
				t.Errorf("the configuration lacks\n%s\nit is\n%s", want, conf)
			}
		}
	})
}

// The section of a store takes options of its driver with values of their types, and no other section does: what is
// wrong changes nothing.
func TestOptionsOfStoresAreChecked(t *testing.T) {
	s := kind().Scenario(t, "spec: {stores: [{name: fast, file: {}}, "+
		"{name: ceph, rbd: {secret: ceph-glance, pool: images}}]}")
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, c := range []struct {
			section, option string
			value           any
			want            string
		}{
			{"fats", "store_description", "x", "glance of release epoxy has no section [fats]; did you mean [fast]?"},
			{"ceph", "rados_connect_timeout", "soon", `[ceph] rados_connect_timeout must be an integer, not "soon"`},
			{"fast", "weight", "much", `[fast] weight must be an integer, not "much"`},
			{"fast", "rbd_store_chunk_size", int64(4), "section [fast] takes no option rbd_store_chunk_size; take it out, or " +
				"use one of filesystem_store_chunk_size, filesystem_store_file_perm, filesystem_thin_provisioning, " +
				"store_description, weight"},
			{"ceph", "rbd_store_pool", "other", "section [ceph] takes no option rbd_store_pool; take it out, or use one of " +
				"rados_connect_timeout, rbd_store_chunk_size, rbd_thin_provisioning, store_description, weight"},
			{"DEFAULT", "weight", int64(1), "glance of release epoxy has no option weight in section [DEFAULT]"},
		} {
			wrong := map[string]any{c.section: map[string]any{c.option: c.value}}
			if got := servicetest.Writes(p, func() { p.Change(kind().Object, "spec.config", wrong) }); len(got) > 0 {
				t.Errorf("[%s] %s = %v wrote %v", c.section, c.option, c.value, got)
			}
			if got := p.Condition(kind().Object, "ConfigReady"); got.Reason != "InvalidConfig" ||
				!strings.Contains(got.Message, "spec.config: "+c.want) {
				t.Errorf("the condition is %s: %s\nwant %s", got.Reason, got.Message, c.want)
			}
		}
	})
}

// A store that is elsewhere is asked whether it answers, by a pod that is ready as long as it does. A volume is not.
func TestStoresAreWatched(t *testing.T) {
	watched := map[string]bool{"{name: here, file: {}}": false, "{name: here, file: {}}, " + far: true, away: true,
		"{name: ceph, rbd: {secret: ceph-glance, pool: images}}": true}
	for stores, want := range watched {
		s := kind().Scenario(t, "spec: {stores: ["+stores+"]}")
		s.Files = append(s.Files, "testdata/given.yaml")
		s.Children["Deployment/glance-store-health"] = kittest.Hold
		kittest.New(t, s).Run(t, func(p *kittest.Play) {
			p.Settle()
			got := p.Condition(kind().Object, "StoreHealthReady")
			if serves := p.Condition(kind().Object, "DeploymentReady").Status; serves != "True" ||
				got.Status == "False" != want {
				t.Errorf("with %s StoreHealthReady is %q: %s; the API serves: %s", stores, got.Status, got.Message, serves)
			}
			config := servicetest.Secret(p, "glance-config")
			if _, has := config["stackwright_watch.py"]; has != want {
				t.Errorf("with %s the program is there: %t", stores, has)
			}
		})
	}
}

// A store in a Ceph is known by a Secret that others make. Images in it have an address by which Cinder clones them,
// and data waits on the volume of a store of files when there is one.
func TestStoresInCeph(t *testing.T) {
	for stores, waiting := range map[string]string{
		"{name: ceph, rbd: {secret: ceph-glance, pool: images}}":                          "/var/lib/glance",
		"{name: ceph, rbd: {secret: ceph-glance, pool: images}}, {name: large, file: {}}": "/var/lib/glance/stores/large",
	} {
		s := kind().Scenario(t, "spec: {config: {ceph: {rbd_store_chunk_size: 4}}, stores: ["+stores+"]}")
		s.Files = append(s.Files, "testdata/given.yaml")
		kittest.New(t, s).Run(t, func(p *kittest.Play) {
			p.Ready()
			config := servicetest.Secret(p, "glance-config")
			for _, want := range []string{
				"enabled_backends = ceph:rbd", "default_backend = ceph\n", "show_image_direct_url = true\n",
				"[ceph]\nrados_connect_timeout = 60\nrbd_store_ceph_conf = /etc/stackwright/config/ceph-ceph.conf\n" +
					"rbd_store_chunk_size = 4\nrbd_store_pool = images\nrbd_store_user = glance\n",
				"[os_glance_staging_store]\nfilesystem_store_datadir = " + waiting + "/staging\n",
			} {
				if !strings.Contains(config["glance-api.conf"], want) {
					t.Errorf("the configuration lacks\n%s\nit is\n%s", want, config["glance-api.conf"])
				}
			}
			if !strings.Contains(config["uwsgi.ini"], "\nimport = stackwright_rbd\n") {
				t.Errorf("the API does not start without its Ceph:\n%s", config["uwsgi.ini"])
			}
			if want := "[client.glance]\nkey = AQ==\n"; config["ceph-ceph.keyring"] != want {
				t.Errorf("the keyring is\n%s, want\n%s", config["ceph-ceph.keyring"], want)
			}
		})
	}
}

// Where no volume is in all pods they ask each other for what is staged, by the name for which they have a certificate.
func TestPodsAskEachOtherForWhatIsStaged(t *testing.T) {
	for patch, want := range map[string]string{
		"stores: [{name: here, file: {}}, " + far + "]": "",
		"stores: [" + far + ", " + away + "]":           "https://glance-internal.cloud.svc:9292",
		"tls: {disabled: true}, stores: [" + far + "]":  "http://glance-internal.cloud.svc:9292",
	} {
		s := kind().Scenario(t, "spec: {"+patch+"}")
		s.Files = append(s.Files, "testdata/given.yaml")
		kittest.New(t, s).Run(t, func(p *kittest.Play) {
			p.Ready()
			config := servicetest.Secret(p, "glance-config")
			lines := "\nenv = STACKWRIGHT_SERVICE=" + want + "\nimport = stackwright_stage\n"
			if has := strings.Contains(config["uwsgi.ini"], lines); has != (want != "") {
				t.Errorf("with %s the pods are told:\n%s", patch, config["uwsgi.ini"])
			}
			if _, has := config["stackwright_stage.py"]; has != (want != "") {
				t.Errorf("with %s the module is there: %t", patch, has)
			}
		})
	}
}

// The Secret of a store goes, and with it the way to the images: that is said, and the pods, which have read it, go on.
// They are the same when it is back.
func TestAStoreIsGone(t *testing.T) {
	s := kind().Scenario(t, "spec: {stores: [{name: ceph, rbd: {secret: ceph-glance, pool: images}}]}")
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		pods := func() any { return p.Object("Deployment/cloud/glance-api").Object["spec"] }
		before, given := pods(), p.Object("Secret/cloud/ceph-glance").DeepCopy()
		p.Remove("Secret/cloud/ceph-glance")
		p.Settle()
		c := p.Condition(kind().Object, "Ready")
		if c.Status != "False" || !strings.Contains(c.Message, "Secret ceph-glance does not exist in namespace cloud") {
			t.Errorf("without the store's Secret Ready is %s, %s: %s", c.Status, c.Reason, c.Message)
		}
		if diff := cmp.Diff(before, pods()); diff != "" {
			t.Errorf("the pods changed:\n%s", diff)
		}
		given.SetResourceVersion("")
		servicetest.Must(t, p.Client.Create(p.T.Context(), given))
		p.Settle()
		p.Ready()
		if diff := cmp.Diff(before, pods()); diff != "" {
			t.Errorf("the pods are others once it is back:\n%s", diff)
		}
	})
}

// Images outlive the Glance whose data is kept, and a store that is left out of the list.
func TestImagesAreKept(t *testing.T) {
	two := "spec: {stores: [{name: fast, file: {}}, {name: large, file: {}}]}"
	kittest.New(t, kind().Scenario(t, two)).Run(t, func(p *kittest.Play) {
		p.Change(kind().Object, "spec.stores", []any{map[string]any{"name": "fast", "file": map[string]any{}}})
		p.Settle()
		p.Ready()
		p.Remove(kind().Object)
		p.Settle()
		for _, kept := range []string{"glance-fast", "glance-large"} {
			if p.Object("PersistentVolumeClaim/cloud/"+kept) == nil {
				t.Errorf("the volume %s is gone", kept)
			}
		}
		if p.Object(kind().Object) != nil || p.Object("User/cloud/glance") != nil {
			t.Error("the Glance or its user is still there")
		}
	})
}

// A volume keeps the class that it has, whatever is asked for later: it cannot be changed. Of a class that does not
// allow expansion it keeps its size, too, and the condition says so; nothing else waits for that.
func TestAVolumeKeepsItsClass(t *testing.T) {
	one := "spec: {stores: [{name: fast, file: {className: ssd}}]}"
	kittest.New(t, kind().Scenario(t, one)).Run(t, func(p *kittest.Play) {
		const class = "StorageClass/ssd"
		p.Create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
			"metadata": map[string]any{"name": "ssd"}, "provisioner": "example.org/disks", "allowVolumeExpansion": false}})
		p.Change(kind().Object, "spec.stores", []any{
			map[string]any{"name": "fast", "file": map[string]any{"className": "disk", "size": "30Gi"}}})
		p.Change(kind().Object, "spec.config", map[string]any{"DEFAULT": map[string]any{"debug": true}})
		p.Settle()
		const says = "PersistentVolumeClaim glance-fast keeps its 20Gi, because StorageClass ssd does not allow expansion; " +
			"set allowVolumeExpansion: true on it: "
		if c := p.Condition(kind().Object, "StoresReady"); c.Reason != "CannotGrow" || !strings.HasPrefix(c.Message, says) {
			t.Errorf("the condition is %s: %s", c.Reason, c.Message)
		}
		if conf := servicetest.Secret(p, "glance-config")["glance-api.conf"]; !strings.Contains(conf, "debug = true") {
			t.Errorf("the configuration waits for the volume:\n%s", conf)
		}
		p.Change(class, "allowVolumeExpansion", true)
		p.Change(kind().Object, "spec.stores", []any{
			map[string]any{"name": "fast", "file": map[string]any{"className": "disk", "size": "30Gi"}}})
		p.Settle()
		p.Ready()
		claim := p.Object("PersistentVolumeClaim/cloud/glance-fast")
		kept, _, _ := unstructured.NestedString(claim.Object, "spec", "storageClassName")
		size, _, _ := unstructured.NestedString(claim.Object, "spec", "resources", "requests", "storage")
		if kept != "ssd" || size != "30Gi" {
			t.Errorf("the volume is of class %s and size %s, want ssd and 30Gi", kept, size)
		}
	})
}

// A claim that waits for a volume of the wrong class is made again of the right one, once a person lets it go.
func TestAVolumeThatNeverCameGetsAnotherClass(t *testing.T) {
	s := kind().Scenario(t, "spec: {stores: [{name: fast, file: {className: sssd}}]}")
	s.Children["PersistentVolumeClaim"] = kittest.Hold
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Change(kind().Object, "spec.stores", []any{
			map[string]any{"name": "fast", "file": map[string]any{"className": "ssd"}}})
		p.Settle()
		const says = "another StorageClass than ssd; delete them, and they are made again: " +
			"kubectl delete pvc -n cloud glance-fast"
		if c := p.Condition(kind().Object, "StoresReady"); c.Status != "False" || !strings.Contains(c.Message, says) {
			t.Errorf("StoresReady is %s: %s", c.Status, c.Message)
		}
		p.Remove("PersistentVolumeClaim/cloud/glance-fast")
		p.Settle()
		claim := p.Object("PersistentVolumeClaim/cloud/glance-fast")
		if class, _, _ := unstructured.NestedString(claim.Object, "spec", "storageClassName"); class != "ssd" {
			t.Errorf("the claim asks for class %s, want ssd", class)
		}
	})
}
