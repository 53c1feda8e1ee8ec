package storage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"

	"stackwright.dev/devcluster/internal/cluster"
)

func TestVolumeIsOpenToAllWhateverTheMask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pvc-1")
	if err := make777(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != mode {
		t.Errorf("mode is %o, want %o", info.Mode().Perm(), mode)
	}
}

func TestVolumeBelongsToItsNode(t *testing.T) {
	reclaim := corev1.PersistentVolumeReclaimDelete
	options := controller.ProvisionOptions{
		PVName: "pvc-1", SelectedNodeName: "node-2", PVC: &corev1.PersistentVolumeClaim{},
	}
	options.StorageClass = &storagev1.StorageClass{ReclaimPolicy: &reclaim}
	made := volume(options, "/x/pvc-1")
	term := made.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0]
	if term.Key != corev1.LabelHostname || len(term.Values) != 1 || term.Values[0] != "node-2" {
		t.Errorf("volume is bound to %v, want node-2", term)
	}
	if made.Spec.PersistentVolumeReclaimPolicy != reclaim {
		t.Errorf("reclaim policy is %s", made.Spec.PersistentVolumeReclaimPolicy)
	}
}

// A volume is removed with all that is in it, and no other one. One of a size is a file beside its folder, too; its
// node is gone here, and its mounts with it.
func TestDeleteRemovesWhatWasMade(t *testing.T) {
	for name, files := range map[string][]string{"a folder": {"a/b"}, "of a size": {"a/b", "../pvc-1" + suffix}} {
		t.Run(name, func(t *testing.T) {
			f := folders{&cluster.Cluster{Name: "../../.." + t.TempDir()}} // in place of the clusters' own folder
			made, other := provision(t, f, "pvc-1"), provision(t, f, "pvc-2")
			for _, file := range files {
				write(t, filepath.Join(made.Spec.Local.Path, file))
			}
			if err := f.Delete(t.Context(), made); err != nil {
				t.Fatal(err)
			}
			left, err := os.ReadDir(f.cluster.Volumes("node-1"))
			if err != nil || len(left) != 1 || left[0].Name() != other.Name {
				t.Errorf("left are %v (%v), want %s alone", left, err, other.Name)
			}
			if err := f.Delete(t.Context(), made); err != nil {
				t.Errorf("deleting what is gone already: %v", err)
			}
		})
	}
}

// provision makes a volume on node-1.
func provision(t *testing.T, f folders, name string) *corev1.PersistentVolume {
	t.Helper()
	class := &storagev1.StorageClass{ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete)}
	volume, state, err := f.Provision(t.Context(), controller.ProvisionOptions{
		PVName: name, SelectedNodeName: "node-1", PVC: &corev1.PersistentVolumeClaim{}, StorageClass: class})
	if err != nil || state != controller.ProvisioningFinished {
		t.Fatalf("making volume %s ends in state %s: %v", name, state, err)
	}
	return volume
}

// Where there are no loop devices a volume of a size is not made, and its claim is told what is missing and what to do.
func TestSizedVolumeWantsLoopDevices(t *testing.T) {
	tools := t.TempDir()
	for program, script := range map[string]string{
		"mkfs.ext4": "", "mount": "echo \"mount: $4: failed to setup loop device for $3.\" >&2; exit 32\n",
	} {
		if err := os.WriteFile(filepath.Join(tools, program), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", tools)
	path := filepath.Join(t.TempDir(), "pvc-1")
	err := makeSized(path, 1<<20, "")
	for _, text := range []string{path + ": failed to setup loop device", "modprobe loop", "privileged container"} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("nothing says %q: %v", text, err)
		}
	}
}

func write(t *testing.T, file string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Before a pod is scheduled nobody knows on which node its folder belongs.
func TestProvisionWantsANode(t *testing.T) {
	f := folders{&cluster.Cluster{Name: "../../.." + t.TempDir()}}
	_, _, err := f.Provision(t.Context(), controller.ProvisionOptions{PVName: "pvc-1",
		StorageClass: &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "now"}}})
	if err == nil || !strings.Contains(err.Error(), "class now must have volumeBindingMode WaitForFirstConsumer") {
		t.Errorf("a volume without a node: %v", err)
	}
}

func TestDeleteRefusesWhatIsNotOurs(t *testing.T) {
	outside := t.TempDir()
	f := folders{&cluster.Cluster{Name: "dev"}}
	state := f.cluster.State()
	for name, path := range map[string]string{
		"outside":         outside,
		"climbing":        state + "/nodes/node-1/volumes/../../../../../../" + outside + "/pvc-1",
		"keys":            state + "/pki",
		"another volume":  state + "/nodes/node-1/volumes/pvc-2",
		"the node folder": state + "/nodes/node-1",
		"no path":         "",
	} {
		t.Run(name, func(t *testing.T) {
			volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-1"}}
			volume.Spec.Local = &corev1.LocalVolumeSource{Path: path}
			if err := f.Delete(t.Context(), volume); err == nil {
				t.Errorf("deleting %q is not refused", path)
			}
		})
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	if err := f.Delete(t.Context(), &corev1.PersistentVolume{}); err == nil {
		t.Error("deleting a volume without a path is not refused")
	}
}
