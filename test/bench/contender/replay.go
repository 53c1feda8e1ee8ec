package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/stackwright/test/bench/contender/box"
	"stackwright.dev/stackwright/test/bench/contender/capture"
	"stackwright.dev/stackwright/test/bench/contender/script"
	"stackwright.dev/stackwright/test/bench/contender/token"
)

// replay makes a cloud anew, one thing after the other.
type replay struct {
	cloud   *capture.Cloud
	machine *box.Machine
	images  *box.Images
	began   time.Time
	out     io.Writer
	notes   io.Writer
	// running are the containers of pods, by the name of the pod.
	running map[string][]*box.Container
	client  *box.Container
}

// stepWithin is how long one step may take.
const stepWithin = 3 * time.Minute

// all is the whole replay; until names the mark after which it ends.
func (r *replay) all(ctx context.Context, until string) error {
	p := order(r.cloud)
	if len(p.first) == 0 || len(p.hosts) == 0 {
		return errors.New("the capture has no Keystone or no hosts")
	}
	marks := []struct {
		name string
		work func(context.Context, plan) error
	}{{"token", r.token}, {"core", r.core}, {"hosts", r.hosts}, {"server-active", r.server}}
	for _, m := range marks {
		if err := m.work(ctx, p); err != nil {
			return err
		}
		fmt.Fprintf(r.out, "%s %.1f s\n", m.name, time.Since(r.began).Seconds())
		if m.name == until {
			break
		}
	}
	return nil
}

// step does one thing, and notes how long it took.
func (r *replay) step(ctx context.Context, name string, work func(context.Context) error) error {
	began := time.Now()
	ctx, stop := context.WithTimeout(ctx, stepWithin)
	defer stop()
	if err := work(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(r.notes, "%6.1f %5.1f %s\n", time.Since(r.began).Seconds(), time.Since(began).Seconds(), name)
	return nil
}

// pods starts pods, each when the one before it is ready or has ended.
func (r *replay) pods(ctx context.Context, all []*corev1.Pod, after func(context.Context, *corev1.Pod) error) error {
	for _, captured := range all {
		pod, _ := script.Alone(captured)
		err := r.step(ctx, pod.Name, func(ctx context.Context) error { return r.pod(ctx, pod) })
		if err == nil && after != nil {
			err = after(ctx, pod)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *replay) pod(ctx context.Context, pod *corev1.Pod) error {
	// A container outlives the step that has started it.
	containers, err := r.machine.Start(context.WithoutCancel(ctx), r.cloud, pod)
	if err != nil {
		return err
	}
	r.running[pod.Name] = containers
	if ends(pod) {
		return box.Finish(ctx, containers)
	}
	return r.machine.Ready(ctx, pod, containers)
}

// token starts what a token takes, and asks for one.
func (r *replay) token(ctx context.Context, p plan) error {
	if err := r.open(); err != nil {
		return err
	}
	definitions, err := script.Buses(r.cloud)
	if err != nil {
		return fmt.Errorf("writing definitions: %w", err)
	}
	for _, m := range r.cloud.ConfigMaps {
		if _, ok := m.Data["enabled_plugins"]; ok {
			m.Data[script.Definitions] = string(definitions)
		}
	}
	for _, pod := range p.first {
		if service(pod) == "openstackclient" {
			share(pod)
		}
	}
	err = r.pods(ctx, p.first, func(ctx context.Context, pod *corev1.Pod) error {
		switch service(pod) {
		case "galera":
			return r.step(ctx, "databases", func(ctx context.Context) error { return r.databases(ctx, pod) })
		case "openstackclient":
			r.client = r.running[pod.Name][0]
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.step(ctx, "token", func(ctx context.Context) error {
		for _, s := range r.cloud.Secrets {
			if strings.HasSuffix(s.Name, "-keystone-admin") {
				host := strings.TrimSuffix(s.Name, "-admin") + "-internal"
				return token.Issue(ctx, "https://"+r.address(host)+":5000/v3", string(s.Data["password"]))
			}
		}
		return errors.New("the capture has no password of the administrator")
	})
}

// address is that of a service.
func (r *replay) address(name string) string {
	for _, s := range r.cloud.Services {
		if s.Name == name {
			return s.Spec.ClusterIP
		}
	}
	return name
}

// databases makes all of them as soon as the server takes orders.
func (r *replay) databases(ctx context.Context, pod *corev1.Pod) error {
	_, err := r.machine.Exec(ctx, r.running[pod.Name][0], strings.NewReader(script.Databases(r.cloud)), "mariadb",
		"--socket=/run/mysqld/mysqld.sock")
	return err
}

// core registers and starts the other services.
func (r *replay) core(ctx context.Context, p plan) error {
	if r.client == nil {
		return errors.New("the capture has no pod with the command line client")
	}
	err := r.step(ctx, "registering", func(ctx context.Context) error {
		return r.openstack(ctx, script.Register(r.cloud))
	})
	if err != nil {
		return err
	}
	return r.pods(ctx, p.core, nil)
}

// openstack runs a batch of the command line client. Its exit code of a batch is always 1, and it goes on after a
// mistake, so that only what it says on standard error tells of one.
func (r *replay) openstack(ctx context.Context, batch string) error {
	_, err := r.machine.Exec(ctx, r.client, strings.NewReader(batch), "sh", "-c",
		"openstack >"+said+" 2>"+errs+" || [ $? = 1 ]")
	if err != nil {
		return err
	}
	complaints, err := os.ReadFile(r.onNode(errs))
	if err == nil {
		err = complaint(string(complaints))
	}
	return err
}

// complaint is what the client says is wrong. It warns of its own future, too.
func complaint(text string) error {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(strings.ToLower(line), "warn") {
			return fmt.Errorf("the client says: %s", line)
		}
	}
	return nil
}

// hosts starts the agents of the hosts, and waits until Nova has taken the hosts up.
func (r *replay) hosts(ctx context.Context, p plan) error {
	if err := r.pods(ctx, p.hosts, nil); err != nil {
		return err
	}
	err := r.step(ctx, "mapping hosts", func(ctx context.Context) error { return r.discover(ctx, p) })
	if err != nil {
		return err
	}
	return r.step(ctx, "aggregates", func(ctx context.Context) error {
		return r.openstack(ctx, script.Aggregates(r.cloud))
	})
}

// discover has hosts mapped until each is. The scheduler may be faster.
func (r *replay) discover(ctx context.Context, p plan) error {
	var nova []*box.Container
	for _, pod := range p.core {
		if service(pod) == "nova" && pod.Labels["app.kubernetes.io/component"] == "scheduler" {
			nova = r.running[pod.Name]
		}
	}
	if len(nova) == 0 {
		return errors.New("the capture has no scheduler")
	}
	manage := func(command string) (string, error) {
		return r.machine.Exec(ctx, nova[0], nil, "nova-manage", "--config-file", "/etc/stackwright/config/nova.conf",
			"cell_v2", command)
	}
	for {
		if _, err := manage("discover_hosts"); err != nil {
			return err
		}
		known, err := manage("list_hosts")
		if err != nil {
			return err
		}
		if strings.Contains(known, p.hosts[0].Spec.NodeName) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for host %s to be in a cell: %w", p.hosts[0].Spec.NodeName, ctx.Err())
		case <-time.After(time.Second):
		}
	}
}

// What the client finds and writes in a folder that it shares with us.
const (
	shared = "/run/shared"
	disk   = shared + "/disk.raw"
	hello  = shared + "/hello"
	said   = shared + "/said"
	errs   = shared + "/errors"
)

// onNode is where we find a shared file.
func (r *replay) onNode(file string) string {
	return filepath.Join(r.machine.Node("/shared"), filepath.Base(file))
}

// open makes the shared folder, which everybody may write to.
func (r *replay) open() error {
	err := os.MkdirAll(r.machine.Node("/shared"), 0o755)
	if err == nil {
		err = os.Chmod(r.machine.Node("/shared"), 0o777)
	}
	if err == nil {
		err = os.WriteFile(r.onNode(hello), []byte("#!/bin/sh\necho \"### $(hostname) says hello\"\n"), 0o644)
	}
	if err != nil {
		return fmt.Errorf("making the folder for files: %w", err)
	}
	return nil
}

// share lets a pod see the folder.
func share(pod *corev1.Pod) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "shared", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: "/shared"}}})
	c := &pod.Spec.Containers[0]
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "shared", MountPath: shared})
}

// server makes the disk of the first server, and the server.
func (r *replay) server(ctx context.Context, _ plan) error {
	image, err := r.images.Named("guest")
	if err != nil {
		return err
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "disk", Namespace: r.cloud.Namespace,
		OwnerReferences: []metav1.OwnerReference{{Kind: "Job", Name: "disk", Controller: new(true)}}},
		Spec: corev1.PodSpec{HostNetwork: true, Containers: []corev1.Container{{Name: "disk", Image: image,
			Command: []string{"guest-disk", shared}, SecurityContext: &corev1.SecurityContext{RunAsUser: new(int64(0))}}}}}
	share(pod)
	if err := r.pods(ctx, []*corev1.Pod{pod}, nil); err != nil {
		return err
	}
	return r.step(ctx, "server", func(ctx context.Context) error {
		if err := r.openstack(ctx, script.Guest(disk, hello)); err != nil {
			return err
		}
		return r.active()
	})
}

// active looks into what the client said last: the server's status is in a table.
func (r *replay) active() error {
	table, err := os.ReadFile(r.onNode(said))
	if err != nil {
		return fmt.Errorf("reading what the client says: %w", err)
	}
	for line := range strings.Lines(string(table)) {
		f := strings.Split(line, "|")
		if len(f) > 2 && strings.TrimSpace(f[1]) == "status" && strings.TrimSpace(f[2]) == "ACTIVE" &&
			strings.Contains(string(table), "OS-EXT-STS:vm_state") {
			return nil
		}
	}
	return errors.New("the client does not show a server that is ACTIVE")
}
