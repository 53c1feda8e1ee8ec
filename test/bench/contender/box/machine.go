// Package box runs the pods of a captured cloud without Kubernetes: each container is an overlay of the layers of its
// image, in the network of its pod, by the same runtime that Kubernetes uses.
package box

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// Machine is where pods run. Whoever has it is the first process of namespaces of its own, with whose end all ends.
type Machine struct {
	images *Images
	// disk and memory are folders for what is kept and for what is not, logs for what containers say.
	disk, memory, logs string
	pods               int
}

// Prepare makes the machine's folders and the network of its node.
func Prepare(ctx context.Context, images *Images, disk string, node string, links []Link) (*Machine, error) {
	m := &Machine{images: images, disk: disk, memory: "/run/contender", logs: filepath.Join(disk, "logs")}
	for _, dir := range []string{m.memory, m.logs, "/run/netns"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("making a folder: %w", err)
		}
	}
	return m, m.join(ctx, node, links)
}

// Container is one that has been started.
type Container struct {
	Name string
	Log  string
	spec *Spec
	done chan struct{}
	err  error
}

// Ended is closed when the container's process is gone.
func (c *Container) Ended() <-chan struct{} { return c.done }

// Err is why it ended; nil when it ended well.
func (c *Container) Err() error {
	if c.err == nil {
		return nil
	}
	return fmt.Errorf("container %s ended: %w; its last words are\n%s", c.Name, c.err, c.words())
}

// words are the last lines of the log.
func (c *Container) words() string {
	data, err := os.ReadFile(c.Log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// Start runs a pod: containers that prepare it one after the other, then the others.
func (m *Machine) Start(ctx context.Context, cloud *capture.Cloud, pod *corev1.Pod) ([]*Container, error) {
	at, err := m.place(ctx, cloud, pod)
	if err != nil {
		return nil, err
	}
	for i := range pod.Spec.InitContainers {
		first := &pod.Spec.InitContainers[i]
		c, err := m.run(ctx, cloud, pod, first, at)
		if err != nil {
			return nil, err
		}
		if first.RestartPolicy != nil && *first.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			continue
		}
		if err := c.wait(ctx); err != nil {
			return nil, err
		}
	}
	var out []*Container
	for i := range pod.Spec.Containers {
		c, err := m.run(ctx, cloud, pod, &pod.Spec.Containers[i], at)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// wait waits for the end of a container.
func (c *Container) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting for container %s: %w; its last words are\n%s", c.Name, ctx.Err(), c.words())
	case <-c.done:
		return c.Err()
	}
}

// Finish waits for the end of all.
func Finish(ctx context.Context, all []*Container) error {
	for _, c := range all {
		if err := c.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// place makes what the containers of a pod share.
func (m *Machine) place(ctx context.Context, cloud *capture.Cloud, pod *corev1.Pod) (Place, error) {
	volumes, err := m.volumes(cloud, pod)
	at := Place{Volumes: volumes, Files: map[string]string{}}
	if err != nil {
		return at, err
	}
	dir := filepath.Join(m.memory, pod.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return at, fmt.Errorf("making the folder of pod %s: %w", pod.Name, err)
	}
	for name, content := range map[string]string{"hosts": Hosts(cloud, pod), "resolv.conf": ""} {
		at.Files["/etc/"+name] = filepath.Join(dir, name)
		if err := os.WriteFile(at.Files["/etc/"+name], []byte(content), 0o644); err != nil {
			return at, fmt.Errorf("writing %s of pod %s: %w", name, pod.Name, err)
		}
	}
	if !pod.Spec.HostNetwork {
		at.Network, err = m.connect(ctx, cloud, pod)
	}
	return at, err
}

// run starts one container.
func (m *Machine) run(ctx context.Context, cloud *capture.Cloud, pod *corev1.Pod, c *corev1.Container,
	at Place) (*Container, error) {
	image, err := m.images.Find(c.Image)
	if err != nil {
		return nil, err
	}
	at.Name = pod.Name + "." + c.Name
	dir := filepath.Join(m.disk, "containers", at.Name)
	if at.Root, err = overlay(dir, image); err != nil {
		return nil, fmt.Errorf("mounting the image of %s: %w", at.Name, err)
	}
	spec, err := New(cloud, pod, c, image, at)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(spec)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.json"), data, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("describing container %s: %w", at.Name, err)
	}
	out := &Container{Name: at.Name, Log: filepath.Join(m.logs, at.Name), spec: spec, done: make(chan struct{})}
	return out, m.launch(ctx, out, dir)
}

// launch leaves the runtime beside the container until it ends.
func (m *Machine) launch(ctx context.Context, c *Container, dir string) error {
	log, err := os.Create(c.Log)
	if err != nil {
		return fmt.Errorf("making the log of %s: %w", c.Name, err)
	}
	cmd := exec.CommandContext(ctx, "runc", "--root", filepath.Join(m.memory, "runc"), "run", "--bundle", dir, c.Name)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("starting container %s: %w", c.Name, err), log.Close())
	}
	go func() {
		c.err = errors.Join(cmd.Wait(), log.Close())
		close(c.done)
	}()
	return nil
}

func overlay(dir string, image *Image) (string, error) {
	for _, d := range []string{"root", "upper", "work"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return "", err
		}
	}
	// Overlayfs takes names from one page only, so those of layers are short.
	short := "/run/l"
	if err := os.MkdirAll(short, 0o755); err != nil {
		return "", err
	}
	var lower []string
	for _, l := range image.lower() {
		link := filepath.Join(short, filepath.Base(filepath.Dir(l))[:12])
		if err := os.Symlink(l, link); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
		lower = append(lower, link)
	}
	root := filepath.Join(dir, "root")
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", strings.Join(lower, ":"),
		filepath.Join(dir, "upper"), filepath.Join(dir, "work"))
	return root, unix.Mount("overlay", root, "overlay", 0, options)
}

// Exec runs a command in a container, and returns what it says.
func (m *Machine) Exec(ctx context.Context, c *Container, stdin io.Reader, args ...string) (string, error) {
	all := slices.Concat([]string{"--root", filepath.Join(m.memory, "runc"), "exec", c.Name}, args)
	cmd := exec.CommandContext(ctx, "runc", all...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("running %s in %s: %w: %s", args[0], c.Name, err,
			strings.TrimSpace(errs.String()+out.String()))
	}
	return out.String(), nil
}
