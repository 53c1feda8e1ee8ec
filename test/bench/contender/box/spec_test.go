package box_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/stackwright/test/bench/contender/box"
	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// world has a pod of one container and what it refers to.
func world() (*capture.Cloud, *corev1.Pod, *box.Image) {
	cloud := &capture.Cloud{Namespace: "cloud",
		Secrets:    map[string]*corev1.Secret{"keys": {Data: map[string][]byte{"word": []byte("open")}}},
		ConfigMaps: map[string]*corev1.ConfigMap{"names": {Data: map[string]string{"mine": "Alice"}}}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "api-0", Namespace: "cloud"},
		Status: corev1.PodStatus{PodIP: "10.0.0.5", HostIP: "10.0.0.1"}}
	pod.Spec.NodeName = "node-1"
	pod.Spec.Containers = []corev1.Container{{Name: "api"}}
	cloud.Pods = []*corev1.Pod{pod}
	image := &box.Image{Config: v1.Config{User: "42:43", Env: []string{"PATH=/bin"}, Entrypoint: []string{"init"},
		Cmd: []string{"serve"}}}
	return cloud, pod, image
}

func spec(t *testing.T, change func(*corev1.Pod, *corev1.Container)) *box.Spec {
	t.Helper()
	cloud, pod, image := world()
	change(pod, &pod.Spec.Containers[0])
	at := box.Place{Name: "api-0.api", Root: "/r", Network: "/run/netns/api-0",
		Volumes: map[string]string{"data": "/v/data", "dev": "/dev"}, Files: map[string]string{"/etc/hosts": "/f/hosts"}}
	s, err := box.New(cloud, pod, &pod.Spec.Containers[0], image, at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The first process is who, what and where Kubernetes would have made it.
func TestProcess(t *testing.T) {
	ref := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
	}
	for name, c := range map[string]struct {
		change func(*corev1.Pod, *corev1.Container)
		want   box.Process
	}{
		"that of the image": {func(*corev1.Pod, *corev1.Container) {},
			box.Process{User: box.User{UID: 42, GID: 43}, Args: []string{"init", "serve"}, Env: []string{"PATH=/bin"}}},
		"the pod's user and the container's command": {
			func(p *corev1.Pod, c *corev1.Container) {
				p.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: new(int64(7)), RunAsGroup: new(int64(8)),
					FSGroup: new(int64(9))}
				c.SecurityContext = &corev1.SecurityContext{RunAsUser: new(int64(0)), AllowPrivilegeEscalation: new(false)}
				c.Command, c.Args = []string{"run", "--name=$(NAME)", "$(OTHER)"}, []string{"--ip=$(IP)"}
				c.Env = []corev1.EnvVar{{Name: "NAME", ValueFrom: ref("metadata.name")},
					{Name: "IP", ValueFrom: ref("status.podIP")},
					{Name: "AT", Value: "$(NAME)@$(IP)"}}
			},
			box.Process{User: box.User{GID: 8, AdditionalGids: []int64{9}}, NoNewPrivileges: true,
				Args: []string{"run", "--name=api-0", "$(OTHER)", "--ip=10.0.0.5"},
				Env:  []string{"PATH=/bin", "NAME=api-0", "IP=10.0.0.5", "AT=api-0@10.0.0.5"}}},
		"variables of objects": {
			func(_ *corev1.Pod, c *corev1.Container) {
				c.Args = []string{"alone"}
				c.Env = []corev1.EnvVar{
					{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
						LocalObjectReference: corev1.LocalObjectReference{Name: "keys"}, Key: "word"}}},
					{Name: "B", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
						LocalObjectReference: corev1.LocalObjectReference{Name: "names"}, Key: "mine"}}}}
			},
			box.Process{User: box.User{UID: 42, GID: 43}, Args: []string{"init", "alone"},
				Env: []string{"PATH=/bin", "A=open", "B=Alice"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := spec(t, c.change).Process
			got.Capabilities = box.Capabilities{}
			c.want.Cwd = "/"
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCapabilities(t *testing.T) {
	drop := spec(t, func(_ *corev1.Pod, c *corev1.Container) {
		c.SecurityContext = &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"},
			Add: []corev1.Capability{"NET_ADMIN"}}}
	}).Process.Capabilities
	if diff := cmp.Diff([]string{"CAP_NET_ADMIN"}, drop.Effective); diff != "" {
		t.Error(diff)
	}
	usual := spec(t, func(*corev1.Pod, *corev1.Container) {}).Process.Capabilities.Bounding
	if !slices.Contains(usual, "CAP_CHOWN") || slices.Contains(usual, "CAP_SYS_ADMIN") {
		t.Errorf("without a word a container may do %v", usual)
	}
}

// Namespaces are those of the pod, or the node's where the pod says so.
func TestNamespaces(t *testing.T) {
	kinds := func(s *box.Spec) (out []string) {
		for _, n := range s.Linux.Namespaces {
			out = append(out, n.Type+n.Path)
		}
		return out
	}
	own := spec(t, func(*corev1.Pod, *corev1.Container) {})
	want := []string{"mount", "ipc", "pid", "uts", "network/run/netns/api-0"}
	if diff := cmp.Diff(want, kinds(own)); diff != "" || own.Hostname != "api-0" {
		t.Error(own.Hostname, diff)
	}
	shared := spec(t, func(p *corev1.Pod, _ *corev1.Container) { p.Spec.HostNetwork, p.Spec.HostPID = true, true })
	if diff := cmp.Diff([]string{"mount", "ipc"}, kinds(shared)); diff != "" {
		t.Error(diff)
	}
}

// A container's own mounts take the place of usual ones, and the outer come before the inner.
func TestMounts(t *testing.T) {
	s := spec(t, func(_ *corev1.Pod, c *corev1.Container) {
		c.VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/var/lib/data", SubPath: "part", ReadOnly: true},
			{Name: "dev", MountPath: "/dev"}}
	})
	var got []string
	for _, m := range s.Mounts {
		got = append(got, m.Destination+" "+m.Source+" "+m.Options[len(m.Options)-1])
	}
	want := []string{"/proc proc nodev", "/sys sysfs ro", "/dev /dev rw", "/etc/hosts /f/hosts ro",
		"/var/lib/data /v/data/part ro"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNotKnownIsRefused(t *testing.T) {
	cloud, pod, image := world()
	for name, change := range map[string]func(*corev1.Container){
		"a volume": func(c *corev1.Container) { c.VolumeMounts = []corev1.VolumeMount{{Name: "none", MountPath: "/x"}} },
		"a Secret": func(c *corev1.Container) {
			c.Env = []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{}}}}
		},
		"a field": func(c *corev1.Container) {
			c.Env = []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.unknown"}}}}
		},
	} {
		c := &corev1.Container{Name: "api"}
		change(c)
		if _, err := box.New(cloud, pod, c, image, box.Place{}); err == nil {
			t.Errorf("%s that there is not is let pass", name)
		}
	}
}
