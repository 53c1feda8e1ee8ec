package box

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// The parts of the configuration of a container that the runtime's specification wants and that we use.
type (
	// Spec is a container.
	Spec struct {
		Version  string  `json:"ociVersion"`
		Process  Process `json:"process"`
		Root     Root    `json:"root"`
		Hostname string  `json:"hostname,omitempty"`
		Mounts   []Mount `json:"mounts"`
		Linux    Linux   `json:"linux"`
	}
	// Process is its first process.
	Process struct {
		User            User         `json:"user"`
		Args            []string     `json:"args"`
		Env             []string     `json:"env"`
		Cwd             string       `json:"cwd"`
		NoNewPrivileges bool         `json:"noNewPrivileges"`
		Capabilities    Capabilities `json:"capabilities"`
	}
	// User runs the process.
	User struct {
		UID            int64   `json:"uid"`
		GID            int64   `json:"gid"`
		AdditionalGids []int64 `json:"additionalGids,omitempty"`
	}
	// Capabilities are what it may do beyond others.
	Capabilities struct {
		Bounding  []string `json:"bounding"`
		Effective []string `json:"effective"`
		Permitted []string `json:"permitted"`
	}
	// Root is the folder that it sees as /.
	Root struct {
		Path     string `json:"path"`
		Readonly bool   `json:"readonly"`
	}
	// Mount is something that it sees elsewhere.
	Mount struct {
		Destination string   `json:"destination"`
		Type        string   `json:"type"`
		Source      string   `json:"source"`
		Options     []string `json:"options"`
	}
	// Linux has what it shares with others.
	Linux struct {
		Namespaces  []Namespace `json:"namespaces"`
		CgroupsPath string      `json:"cgroupsPath"`
		Propagation string      `json:"rootfsPropagation"`
		Resources   Resources   `json:"resources"`
	}
	// Namespace is one of its own, or that of a path.
	Namespace struct {
		Type string `json:"type"`
		Path string `json:"path,omitempty"`
	}
	// Resources are the devices that it may use.
	Resources struct {
		Devices []Device `json:"devices"`
	}
	// Device is a rule about some.
	Device struct {
		Allow  bool   `json:"allow"`
		Access string `json:"access"`
	}
)

// Groups is the control group of everything that is replayed. Those of containers are below kubepods in it, because
// the agent of libvirt looks for that name when it takes guests out of their pod.
const Groups = "/contender"

// Place is where a pod runs, and what it has been given.
type Place struct {
	// Name of the container among all.
	Name string
	// Root is the folder of its image, Network the file of its network; empty is that of the node.
	Root, Network string
	// Volumes are the folders of the pod's volumes, by name.
	Volumes map[string]string
	// Files are mounted over those of the image, by path: name resolution.
	Files map[string]string
}

// New is what a container of a pod is to the runtime.
func New(cloud *capture.Cloud, pod *corev1.Pod, c *corev1.Container, image *Image, at Place) (*Spec, error) {
	env, err := environment(cloud, pod, c, image.Config.Env)
	if err != nil {
		return nil, fmt.Errorf("container %s of pod %s: %w", c.Name, pod.Name, err)
	}
	mounts, err := mounts(c, at)
	if err != nil {
		return nil, fmt.Errorf("container %s of pod %s: %w", c.Name, pod.Name, err)
	}
	s := &Spec{Version: "1.0.2", Mounts: mounts}
	s.Process = Process{User: user(pod, c, image.Config.User), Args: command(c, image, env), Env: env,
		Cwd: or(c.WorkingDir, image.Config.WorkingDir, "/"), Capabilities: capabilities(c.SecurityContext)}
	if sc := c.SecurityContext; sc != nil {
		s.Process.NoNewPrivileges = sc.AllowPrivilegeEscalation != nil && !*sc.AllowPrivilegeEscalation
		s.Root.Readonly = sc.ReadOnlyRootFilesystem != nil && *sc.ReadOnlyRootFilesystem
	}
	s.Root.Path = at.Root
	s.Linux = Linux{Namespaces: namespaces(pod, at.Network), CgroupsPath: path.Join(Groups, "kubepods", at.Name),
		Propagation: "rslave", Resources: Resources{Devices: []Device{{Access: "rwm"}}}}
	if !pod.Spec.HostNetwork {
		s.Hostname = or(pod.Spec.Hostname, pod.Name)
	}
	return s, nil
}

func or(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func namespaces(pod *corev1.Pod, network string) []Namespace {
	out := []Namespace{{Type: "mount"}, {Type: "ipc"}}
	if !pod.Spec.HostPID {
		out = append(out, Namespace{Type: "pid"})
	}
	if !pod.Spec.HostNetwork {
		out = append(out, Namespace{Type: "uts"}, Namespace{Type: "network", Path: network})
	}
	return out
}

// user is what the container says, or its pod, or its image.
func user(pod *corev1.Pod, c *corev1.Container, image string) User {
	uid, gid, _ := strings.Cut(image, ":")
	u := User{}
	u.UID, _ = strconv.ParseInt(uid, 10, 64)
	u.GID, _ = strconv.ParseInt(gid, 10, 64)
	if sc := pod.Spec.SecurityContext; sc != nil {
		set(&u.UID, sc.RunAsUser)
		set(&u.GID, sc.RunAsGroup)
		if sc.FSGroup != nil {
			u.AdditionalGids = []int64{*sc.FSGroup}
		}
		u.AdditionalGids = append(u.AdditionalGids, sc.SupplementalGroups...)
	}
	if sc := c.SecurityContext; sc != nil {
		set(&u.UID, sc.RunAsUser)
		set(&u.GID, sc.RunAsGroup)
	}
	return u
}

func set(to *int64, from *int64) {
	if from != nil {
		*to = *from
	}
}

// usual are the capabilities that containerd gives.
func usual() []string {
	return []string{"CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "MKNOD", "NET_RAW", "SETGID", "SETUID", "SETFCAP",
		"SETPCAP", "NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE"}
}

func capabilities(sc *corev1.SecurityContext) Capabilities {
	names := usual()
	if sc != nil && sc.Capabilities != nil {
		if slices.Contains(sc.Capabilities.Drop, "ALL") {
			names = nil
		}
		for _, a := range sc.Capabilities.Add {
			names = append(names, string(a))
		}
	}
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, "CAP_"+n)
	}
	return Capabilities{Bounding: out, Effective: out, Permitted: out}
}

var variable = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

// expand puts in variables as Kubernetes does: what is not known stays.
func expand(text string, env []string) string {
	return variable.ReplaceAllStringFunc(text, func(m string) string {
		for _, e := range slices.Backward(env) {
			if v, ok := strings.CutPrefix(e, m[2:len(m)-1]+"="); ok {
				return v
			}
		}
		return m
	})
}

func command(c *corev1.Container, image *Image, env []string) []string {
	entry, args := c.Command, c.Args
	if len(entry) == 0 {
		entry = image.Config.Entrypoint
		if len(args) == 0 {
			args = image.Config.Cmd
		}
	}
	out := make([]string, 0, len(entry)+len(args))
	for _, a := range slices.Concat(entry, args) {
		out = append(out, expand(a, env))
	}
	return out
}

// environment is that of the image and the container's own.
func environment(cloud *capture.Cloud, pod *corev1.Pod, c *corev1.Container, image []string) ([]string, error) {
	env := slices.Clone(image)
	if len(c.EnvFrom) > 0 {
		return nil, fmt.Errorf("envFrom is not known here")
	}
	for _, e := range c.Env {
		value, err := expand(e.Value, env), error(nil)
		if e.ValueFrom != nil {
			value, err = from(cloud, pod, e.ValueFrom)
		}
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", e.Name, err)
		}
		env = append(env, e.Name+"="+value)
	}
	return env, nil
}

func from(cloud *capture.Cloud, pod *corev1.Pod, s *corev1.EnvVarSource) (string, error) {
	switch {
	case s.FieldRef != nil:
		return field(pod, s.FieldRef.FieldPath)
	case s.SecretKeyRef != nil:
		if o := cloud.Secrets[s.SecretKeyRef.Name]; o != nil {
			return string(o.Data[s.SecretKeyRef.Key]), nil
		}
		return "", fmt.Errorf("there is no Secret %s", s.SecretKeyRef.Name)
	case s.ConfigMapKeyRef != nil:
		if o := cloud.ConfigMaps[s.ConfigMapKeyRef.Name]; o != nil {
			return o.Data[s.ConfigMapKeyRef.Key], nil
		}
		return "", fmt.Errorf("there is no ConfigMap %s", s.ConfigMapKeyRef.Name)
	}
	return "", fmt.Errorf("its source is not known here")
}

func field(pod *corev1.Pod, path string) (string, error) {
	switch path {
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.uid":
		return string(pod.UID), nil
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "status.podIP":
		return pod.Status.PodIP, nil
	case "status.hostIP":
		return pod.Status.HostIP, nil
	}
	return "", fmt.Errorf("field %s is not known here", path)
}

// standard are the mounts of every container.
func standard() []Mount {
	return []Mount{
		{"/proc", "proc", "proc", []string{"nosuid", "noexec", "nodev"}},
		{"/dev", "tmpfs", "tmpfs", []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
		{"/dev/pts", "devpts", "devpts", []string{"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"}},
		{"/dev/shm", "tmpfs", "shm", []string{"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}},
		{"/dev/mqueue", "mqueue", "mqueue", []string{"nosuid", "noexec", "nodev"}},
		{"/sys", "sysfs", "sysfs", []string{"nosuid", "noexec", "nodev", "ro"}},
	}
}

// mounts are the usual ones where the container has none of its own, then these, the outer before the inner.
func mounts(c *corev1.Container, at Place) ([]Mount, error) {
	own := make([]Mount, 0, len(c.VolumeMounts))
	for _, m := range c.VolumeMounts {
		folder, ok := at.Volumes[m.Name]
		if !ok {
			return nil, fmt.Errorf("there is no volume %s", m.Name)
		}
		options := []string{"rbind", "rslave", "rw"}
		if m.ReadOnly {
			options[2] = "ro"
		}
		if m.MountPropagation != nil && *m.MountPropagation == corev1.MountPropagationBidirectional {
			options[1] = "rshared"
		}
		own = append(own, Mount{m.MountPath, "bind", path.Join(folder, m.SubPath), options})
	}
	for file, source := range at.Files {
		own = append(own, Mount{file, "bind", source, []string{"rbind", "rprivate", "ro"}})
	}
	has := func(at string) bool {
		return slices.ContainsFunc(own, func(o Mount) bool { return o.Destination == at })
	}
	all := slices.DeleteFunc(standard(), func(m Mount) bool {
		return has(m.Destination) || has("/dev") && strings.HasPrefix(m.Destination, "/dev/")
	})
	all = append(all, own...)
	slices.SortStableFunc(all, func(a, b Mount) int {
		return strings.Count(a.Destination, "/") - strings.Count(b.Destination, "/")
	})
	return all, nil
}
