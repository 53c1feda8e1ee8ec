package cinder

import (
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// copying is how long a program that stops goes on copying, in seconds. What is not done then ends in an error.
const copying = 600

func workers() []worker {
	launch := func(module string) []string { return []string{"python3", "-m", module, "--config-file", configPath} }
	bus := []service.Peer{service.Bus()}
	return []worker{
		{
			Name: scheduler, Title: "Scheduler", Stable: true, Peers: bus, Ordered: true,
			Command:  []string{"cinder-scheduler", "--config-file", configPath},
			Settings: func(c *cinder) servicev1.Worker { return c.Spec.Scheduler },
		},
		{
			Name: volume, Title: "Volume", Command: launch("stackwright_volume"), Peers: bus, Parts: parts, Grace: copying,
			Beat:     "the back end does not answer",
			Settings: func(c *cinder) servicev1.Worker { return servicev1.Worker{Resources: c.Spec.Volume.Resources} },
		},
		{
			Name: backup, Title: "Backup", Command: launch("stackwright_backup"), Stable: true, Peers: bus, Grace: copying,
			When:     func(c *cinder) bool { return c.Spec.Backup != nil },
			Settings: backups,
		},
	}
}

// backups are none unless somebody wants any.
func backups(c *cinder) servicev1.Worker {
	if c.Spec.Backup == nil {
		return servicev1.Worker{Replicas: new(int32(0))}
	}
	return servicev1.Worker{Replicas: c.Spec.Backup.Replicas}
}

// parts are the programs that make volumes: one for each back end, which it knows from its environment.
func parts(c *cinder) []service.Part {
	out := []service.Part{}
	for _, b := range c.Spec.Backends {
		out = append(out, service.Part{Name: b.Name, Change: func(t *corev1.PodTemplateSpec) {
			container := &t.Spec.Containers[0]
			container.Image = cmp.Or(b.Image, container.Image)
			container.Env = append(container.Env, corev1.EnvVar{Name: "OS_DEFAULT__HOST", Value: c.Name},
				corev1.EnvVar{Name: "OS_DEFAULT__ENABLED_BACKENDS", Value: b.Name})
			if b.NFS != nil {
				mount(&t.Spec, b.NFS.Shares)
			}
		}})
	}
	return out
}

// mount has the kubelet mount shares where the driver looks for them, in folders named after the MD5 of the share. It
// finds that they are mounted, so that the program needs no rights to do it.
func mount(p *corev1.PodSpec, shares []string) {
	for i, share := range shares {
		server, path, _ := strings.Cut(share, ":")
		name := "share-" + strconv.Itoa(i)
		hash := md5.Sum([]byte(share))
		p.Volumes = append(p.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			NFS: &corev1.NFSVolumeSource{Server: server, Path: path}}})
		p.Containers[0].VolumeMounts = append(p.Containers[0].VolumeMounts, corev1.VolumeMount{
			Name: name, MountPath: mountBase + "/" + hex.EncodeToString(hash[:])})
	}
}

func sync(*scope) (pod, error) {
	return pod{Component: stepSync, Alone: true,
		Command: []string{"cinder-manage", "--config-file", configPath, "db", "sync"}}, nil
}

// manage is a command of our program.
func manage(args ...string) []string {
	return append([]string{"python3", "-m", "stackwright_cinder", "--config-file", configPath}, args...)
}

// records are those of the programs, by which Cinder tells whether they are up.
func records() service.Records[*cinder] {
	return service.Records[*cinder]{
		Programs: programs,
		Command:  func(args ...string) []string { return manage(append([]string{"services"}, args...)...) },
		Status:   func(c *cinder) *servicev1.ProgramsStatus { return &c.Status.Programs },
	}
}

// programs are the arguments that tell which programs there shall be.
func programs(c *cinder) []string {
	args := []string{"--name", c.Name,
		"--keep", fmt.Sprintf("cinder-scheduler=%d", c.Spec.Scheduler.Count()),
		fmt.Sprintf("cinder-backup=%d", backups(c).Count()), "--backends"}
	for _, b := range c.Spec.Backends {
		args = append(args, b.Name)
	}
	return args
}

// report tells what every service does, and how the programs have changed.
func (s server) report(v step.View, c *cinder) {
	s.Report(v, c)
	records().Report(v, c)
}

// types are by what people choose a back end. They stay in Cinder when the object goes, as volumes have them, and are
// taken over when it comes back.
func (s server) types(sc *scope) ([]client.Object, error) {
	c := sc.Owner()
	var out []client.Object
	for _, b := range c.Spec.Backends {
		out = append(out, &openstackv1.VolumeType{
			ObjectMeta: metav1.ObjectMeta{Name: c.Name + "-" + b.Name, Namespace: c.Namespace, Labels: s.Labels(c, "")},
			Spec: openstackv1.VolumeTypeSpec{
				ResourceSpec: openstackv1.ResourceSpec{
					CloudRef: &openstackv1.CloudReference{Name: cmp.Or(c.Spec.Identity.Cloud, c.Spec.Identity.Keystone)},
					Policy:   "adopt", Policies: []string{"Create", "Update"},
				},
				Resource: &openstackv1.VolumeTypeResource{Name: new(b.Name), IsPublic: new(true),
					ExtraSpecs: map[string]openstackv1.Text{"volume_backend_name": openstackv1.Text(b.Name)}},
			},
		})
	}
	return out, nil
}

// maintain does every night what can wait: records of an earlier release are rewritten, and those of deleted volumes
// and of programs that are gone are removed.
func (s server) maintain(sc *scope) ([]client.Object, error) {
	c := sc.Owner()
	m := c.Spec.Maintenance
	days := int32(30)
	if m.KeepDays != nil {
		days = *m.KeepDays
	}
	args := append([]string{"maintain", "--keep-days", strconv.Itoa(int(days))}, programs(c)...)
	return []client.Object{s.Cron(c, stepMaintain, cmp.Or(m.Schedule, "40 3 * * *"), pod{Alone: true,
		Component: stepMaintain, Command: manage(args...)})}, nil
}
