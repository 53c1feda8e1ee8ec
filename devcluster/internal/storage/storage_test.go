package storage

import (
	"os"
	"path/filepath"
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
