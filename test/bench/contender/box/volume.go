package box

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// file is one of a volume.
type file struct {
	path    string
	content []byte
	mode    os.FileMode
}

// files are those of a volume of objects; ok is false for volumes that are folders.
func files(cloud *capture.Cloud, v *corev1.Volume) (out []file, ok bool, err error) {
	switch {
	case v.Secret != nil:
		optional := v.Secret.Optional != nil && *v.Secret.Optional
		out, err = secret(cloud, v.Secret.SecretName, v.Secret.Items, optional)
		return mode(out, v.Secret.DefaultMode), true, err
	case v.ConfigMap != nil:
		optional := v.ConfigMap.Optional != nil && *v.ConfigMap.Optional
		out, err = configMap(cloud, v.ConfigMap.Name, v.ConfigMap.Items, optional)
		return mode(out, v.ConfigMap.DefaultMode), true, err
	case v.Projected != nil:
		for _, s := range v.Projected.Sources {
			part, err := projected(cloud, s)
			if err != nil {
				return nil, true, err
			}
			out = append(out, part...)
		}
		return mode(out, v.Projected.DefaultMode), true, nil
	}
	return nil, false, nil
}

func projected(cloud *capture.Cloud, s corev1.VolumeProjection) ([]file, error) {
	switch {
	case s.Secret != nil:
		return secret(cloud, s.Secret.Name, s.Secret.Items, s.Secret.Optional != nil && *s.Secret.Optional)
	case s.ConfigMap != nil:
		return configMap(cloud, s.ConfigMap.Name, s.ConfigMap.Items, s.ConfigMap.Optional != nil && *s.ConfigMap.Optional)
	}
	return nil, errors.New("a source of a projected volume is not known here")
}

func mode(files []file, mode *int32) []file {
	for i := range files {
		if files[i].mode == 0 && mode != nil {
			files[i].mode = os.FileMode(*mode)
		}
		if files[i].mode == 0 {
			files[i].mode = 0o644
		}
	}
	return files
}

func secret(cloud *capture.Cloud, name string, items []corev1.KeyToPath, optional bool) ([]file, error) {
	s := cloud.Secrets[name]
	if s == nil && !optional {
		return nil, fmt.Errorf("there is no Secret %s", name)
	}
	if s == nil {
		return nil, nil
	}
	return pick(s.Data, items), nil
}

func configMap(cloud *capture.Cloud, name string, items []corev1.KeyToPath, optional bool) ([]file, error) {
	m := cloud.ConfigMaps[name]
	if m == nil && !optional {
		return nil, fmt.Errorf("there is no ConfigMap %s", name)
	}
	if m == nil {
		return nil, nil
	}
	data := map[string][]byte{}
	for k, v := range m.Data {
		data[k] = []byte(v)
	}
	maps.Copy(data, m.BinaryData)
	return pick(data, items), nil
}

// pick takes the named items, or all. An item that is missing is left out, as an optional one is.
func pick(data map[string][]byte, items []corev1.KeyToPath) []file {
	var out []file
	for _, i := range items {
		content, ok := data[i.Key]
		if !ok {
			continue
		}
		f := file{path: i.Path, content: content}
		if i.Mode != nil {
			f.mode = os.FileMode(*i.Mode)
		}
		out = append(out, f)
	}
	if len(items) == 0 {
		for k, v := range data {
			out = append(out, file{path: k, content: v})
		}
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return out
}

// machines are folders of a node that are the machine's in a replay, too.
func machines(path string) bool {
	for _, p := range []string{"/dev", "/proc", "/sys", "/lib/modules"} {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// volumes makes the folders of a pod's volumes, by name.
func (m *Machine) volumes(cloud *capture.Cloud, pod *corev1.Pod) (map[string]string, error) {
	group := -1
	if sc := pod.Spec.SecurityContext; sc != nil && sc.FSGroup != nil {
		group = int(*sc.FSGroup)
	}
	out := map[string]string{}
	for _, v := range pod.Spec.Volumes {
		path, err := m.volume(cloud, pod.Name, &v, group)
		if err != nil {
			return nil, fmt.Errorf("making volume %s of pod %s: %w", v.Name, pod.Name, err)
		}
		out[v.Name] = path
	}
	return out, nil
}

func (m *Machine) volume(cloud *capture.Cloud, pod string, v *corev1.Volume, group int) (string, error) {
	list, ok, err := files(cloud, v)
	if err != nil {
		return "", err
	}
	if ok {
		path := filepath.Join(m.memory, pod, v.Name)
		return path, write(path, list, group)
	}
	switch {
	case v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory:
		path := filepath.Join(m.memory, pod, v.Name)
		return path, folder(path, 0o777, group)
	case v.EmptyDir != nil:
		path := filepath.Join(m.disk, "pods", pod, v.Name)
		return path, folder(path, 0o777, group)
	case v.PersistentVolumeClaim != nil:
		path := filepath.Join(m.disk, "claims", v.PersistentVolumeClaim.ClaimName)
		return path, folder(path, 0o777, group)
	case v.HostPath != nil && machines(v.HostPath.Path):
		return v.HostPath.Path, nil
	case v.HostPath != nil:
		path := m.Node(v.HostPath.Path)
		return path, os.MkdirAll(path, 0o755)
	}
	return "", errors.New("its kind is not known here")
}

// Node is where a folder of the node is.
func (m *Machine) Node(path string) string {
	if strings.HasPrefix(path, "/run/") {
		return filepath.Join(m.memory, "node", path)
	}
	return filepath.Join(m.disk, "node", path)
}

// folder makes one that the group of a pod may write to.
func folder(path string, mode os.FileMode, group int) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	if group >= 0 {
		if err := os.Chown(path, -1, group); err != nil {
			return err
		}
		mode |= os.ModeSetgid
	}
	return os.Chmod(path, mode)
}

// write makes a folder with files that the group of a pod may read.
func write(path string, list []file, group int) error {
	if err := folder(path, 0o755, group); err != nil {
		return err
	}
	for _, f := range list {
		name := filepath.Join(path, f.path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		mode := f.mode
		if group >= 0 {
			mode |= 0o040
		}
		err := os.WriteFile(name, f.content, mode)
		if err == nil {
			err = os.Chown(name, -1, group)
		}
		if err == nil {
			err = os.Chmod(name, mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
