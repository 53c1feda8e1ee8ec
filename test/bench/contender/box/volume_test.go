package box

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// Volumes of objects have their files, those of folders begin empty, and none of a node is the machine's own.
func TestVolumes(t *testing.T) {
	dir := t.TempDir()
	m := &Machine{disk: filepath.Join(dir, "disk"), memory: filepath.Join(dir, "memory")}
	cloud := &capture.Cloud{
		Secrets:    map[string]*corev1.Secret{"s": {Data: map[string][]byte{"a": []byte("1"), "b": []byte("2")}}},
		ConfigMaps: map[string]*corev1.ConfigMap{"c": {Data: map[string]string{"x": "y"}}},
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "some", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s",
			DefaultMode: new(int32(0o400)), Items: []corev1.KeyToPath{{Key: "a", Path: "in/side"}, {Key: "none", Path: "n"}}}}},
		{Name: "map", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "c"}}}},
		{Name: "maybe", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "none",
			Optional: new(true)}}},
		{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
			ClaimName: "claim"}}},
		{Name: "node", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/run/libvirt"}}},
		{Name: "dev", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/dev/net/tun"}}},
	}
	got, err := m.volumes(cloud, pod)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"some": "memory/p/some", "map": "memory/p/map", "maybe": "memory/p/maybe",
		"tmp": "disk/pods/p/tmp", "data": "disk/claims/claim", "node": "memory/node/run/libvirt", "dev": "/dev/net/tun"}
	content := map[string]string{"some/in/side": "1", "map/x": "y"}
	for name, path := range want {
		if !filepath.IsAbs(path) {
			want[name] = filepath.Join(dir, path)
		}
		if _, err := os.Stat(want[name]); err != nil && name != "dev" {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for path, text := range content {
		have, err := os.ReadFile(filepath.Join(dir, "memory/p", path))
		if err != nil || string(have) != text {
			t.Errorf("%s has %q (%v), want %q", path, have, err, text)
		}
	}
	if i, err := os.Stat(filepath.Join(got["some"], "in/side")); err != nil || i.Mode().Perm() != 0o400 {
		t.Errorf("the mode of a file is %v (%v), want that of its volume", i.Mode(), err)
	}
}

func TestVolumeOfNothing(t *testing.T) {
	m := &Machine{memory: t.TempDir()}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "some", VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: "none"}}}}
	if _, err := m.volumes(&capture.Cloud{}, pod); err == nil {
		t.Error("a Secret that there is not makes an empty volume")
	}
}
