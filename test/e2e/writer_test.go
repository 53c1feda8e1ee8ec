//go:build e2e

package e2e

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

var (
	//go:embed testdata/writer.py
	writerScript string
	//go:embed testdata/publisher.py
	publisherScript string
)

// image returns the image of a component in the release that the cluster has.
func image(w *story.World, component string) string {
	w.Helper()
	r := &controlplanev1.OpenStackRelease{}
	if err := w.Get(w.Context(), w.Key(&controlplanev1.OpenStackRelease{ObjectMeta: metav1.ObjectMeta{Name: "epoxy"}}),
		r); err != nil {
		w.Fatalf("reading the release: %v", err)
	}
	return string(r.Spec.Images[component])
}

// writer is a pod that writes into a Database or a MessageBus without a pause.
type writer struct {
	*story.World
	pod   *corev1.Pod
	hosts []string
}

// line is what the writer prints.
type line struct {
	Rows         int     `json:"rows"`
	Pause        float64 `json:"pause"`
	Error        string  `json:"error"`
	Host         string  `json:"host"`
	Acknowledged int     `json:"acknowledged"`
	Lost         *int    `json:"lost"`
	Done         bool    `json:"done"`
}

// startWriter makes a pod that writes rows into a Database, and at the end asks members for them. It waits until the
// pod writes.
func startWriter(w *story.World, database string, members ...string) *writer {
	w.Helper()
	return start(w, program{name: "writer", script: writerScript, secret: database + "-db", image: "openstackclient",
		hosts: members})
}

// startPublisher makes a pod that publishes into a MessageBus. It waits until the pod writes.
func startPublisher(w *story.World, bus string) *writer {
	w.Helper()
	return start(w, program{name: "publisher", script: publisherScript, secret: bus, image: "keystone",
		hosts: []string{"all"}})
}

// program is what a writer runs, with a Secret in /db and hosts as its arguments. Its pod has its name.
type program struct {
	name, script, secret, image string
	hosts                       []string
}

func start(w *story.World, p program) *writer {
	w.Helper()
	script := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: p.name},
		Data: map[string]string{"writer.py": p.script}}
	w.Apply(script)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: p.name}, Spec: corev1.PodSpec{
		AutomountServiceAccountToken:  new(false),
		TerminationGracePeriodSeconds: new(int64(1)),
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(42400)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{Name: "writer", Image: image(w, p.image),
			Command: append([]string{"python3", "/script/writer.py"}, p.hosts...),
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			VolumeMounts: []corev1.VolumeMount{{Name: "db", MountPath: "/db"}, {Name: "script", MountPath: "/script"}}}},
		Volumes: []corev1.Volume{
			{Name: "db", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: p.secret}}},
			{Name: "script", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: p.name}}}},
		},
	}}
	w.Apply(pod)
	out := &writer{World: w, pod: pod, hosts: p.hosts}
	out.grows(2 * time.Minute)
	return out
}

func (w *writer) lines(ctx context.Context) ([]line, error) {
	text, err := w.Cluster.Kubectl(ctx, "-n", w.Namespace, "logs", w.pod.Name)
	if err != nil {
		return nil, err
	}
	var out []line
	for l := range strings.Lines(text) {
		var x line
		if err := json.Unmarshal([]byte(l), &x); err != nil {
			return nil, fmt.Errorf("the writer has said %q", l)
		}
		out = append(out, x)
	}
	return out, nil
}

func (w *writer) rows(ctx context.Context) (int, error) {
	lines, err := w.lines(ctx)
	n := 0
	for _, l := range lines {
		n = max(n, l.Rows)
	}
	return n, err
}

// grows waits until more rows are acknowledged than now, and returns how long that took.
func (w *writer) grows(within time.Duration) time.Duration {
	w.Helper()
	before, _ := w.rows(w.Context())
	return w.Eventually(within, "rows are acknowledged", func(ctx context.Context) error {
		now, err := w.rows(ctx)
		if err == nil && now < before+50 {
			err = fmt.Errorf("%d rows after %d", now, before)
		}
		return err
	})
}

// longest is the longest pause between two acknowledged rows.
func (w *writer) longest() (pause time.Duration, why string) {
	w.Helper()
	lines, err := w.lines(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	for _, l := range lines {
		if d := time.Duration(l.Pause * float64(time.Second)); d > pause {
			pause, why = d, l.Error
		}
	}
	return pause, why
}

// check ends the writing and fails the test if a member lacks a row that was acknowledged. Rows can be asked for again
// after what happens later.
func (w *writer) check() {
	w.Helper()
	earlier, err := w.lines(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	if _, err := w.Cluster.Kubectl(w.Context(), "-n", w.Namespace, "exec", w.pod.Name, "--", "touch",
		"/tmp/check"); err != nil {
		w.Fatal(err)
	}
	var lines []line
	// A broker is asked for each message.
	w.Eventually(3*time.Minute, "the writer has checked", func(ctx context.Context) (err error) {
		lines, err = w.lines(ctx)
		if err == nil && (len(lines) <= len(earlier) || !lines[len(lines)-1].Done) {
			err = errors.New("it is not done")
		}
		return err
	})
	checked := 0
	for _, l := range lines[len(earlier):] {
		if l.Lost == nil {
			continue
		}
		checked++
		w.Logf("%s: %d rows acknowledged, %d lost", l.Host, l.Acknowledged, *l.Lost)
		if *l.Lost > 0 || l.Acknowledged == 0 {
			w.Errorf("%s lacks %d of %d acknowledged rows", l.Host, *l.Lost, l.Acknowledged)
		}
	}
	if checked != len(w.hosts) {
		w.Errorf("checked %d members, want %d", checked, len(w.hosts))
	}
}

// cut ends all processes of the database's members at once, as a power cut would, and then removes their pods.
func cut(w *story.World) {
	w.Helper()
	kill(w, "mariadb", "db-")
}

// kill ends all processes of three members that an agent runs at once, and then removes their pods, whose names begin
// with prefix: a kubelet would give them two seconds.
func kill(w *story.World, agent, prefix string) {
	w.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		w.Fatal(err)
	}
	killed := 0
	for _, c := range commands {
		b, _ := os.ReadFile(c)
		if !strings.HasPrefix(string(b), "stackwright-agent\x00"+agent+"\x00--domain="+prefix) ||
			!strings.Contains(string(b), "."+w.Namespace+".svc\x00") {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(c)))
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed < 3 {
		w.Fatalf("killed %d processes, want those of 3 members", killed)
	}
	if n := w.Kill(w.Namespace, prefix); n != 3 {
		w.Fatalf("removed %d pods, want 3", n)
	}
}

// newGalera makes a cluster of three with a Database, and waits for both.
func newGalera(t *testing.T, w *story.World) *infrav1.Galera {
	t.Helper()
	g := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "db"}}
	g.Spec.Image, g.Spec.Replicas = image(w, "mariadb"), 3
	g.Spec.Storage.Size.Set(1 << 30)
	w.Apply(g)
	d := &infrav1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "app"}}
	d.Spec.Galera = "db"
	w.Apply(d)
	w.Ready(5*time.Minute, d)
	w.Ready(5*time.Minute, g)
	return g
}

func memberHosts(w *story.World) []string {
	var out []string
	for i := range 3 {
		out = append(out, fmt.Sprintf("db-%d.db-pods.%s.svc", i, w.Namespace))
	}
	return out
}
