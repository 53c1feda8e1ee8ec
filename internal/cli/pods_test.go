package cli

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pods are made beside the cloud of testdata: two of keystone, of which the second is ready, one of galera, and one of
// the operators in a namespace of theirs.
func pods(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, "testdata/cloud.yaml")
	for _, p := range []struct {
		namespace, name string
		labels          map[string]string
		containers      []string
		ready           bool
	}{
		{"openstack", "keystone-1", map[string]string{"a": "keystone"}, []string{"api"}, false},
		{"openstack", "keystone-2", map[string]string{"a": "keystone"}, []string{"api"}, true},
		{"openstack", "galera-0", map[string]string{"a": "galera"}, []string{"mariadb", "agent"}, true},
		{"system", "operator-1", map[string]string{"app.kubernetes.io/name": operatorRelease}, []string{"operator"}, true},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: p.name, Labels: p.labels}}
		for _, c := range p.containers {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: c, Image: "a"})
		}
		must(t, w.client.Create(t.Context(), pod))
		if p.ready {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			must(t, w.client.Status().Update(t.Context(), pod))
		}
	}
	return w
}

// asked notes which containers are asked for their logs or to run something, and refuses that.
func (w *world) asked() func() string {
	var mu sync.Mutex
	var list []string
	w.forbids = func(r *http.Request) bool {
		path, sub, ok := strings.Cut(r.URL.Path, "/pods/")
		if !ok || !strings.HasSuffix(sub, "/log") && !strings.HasSuffix(sub, "/exec") {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		q := r.URL.Query()
		entry := path[strings.LastIndex(path, "/")+1:] + "/" + sub + " " + q.Get("container")
		for _, name := range []string{"tailLines", "sinceSeconds", "previous", "follow", "command"} {
			if v, ok := q[name]; ok {
				entry += " " + name + "=" + strings.Join(v, ",")
			}
		}
		if len(list) == 0 || list[len(list)-1] != entry {
			list = append(list, entry)
		}
		return true
	}
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(list, "; ")
	}
}

func TestLogs(t *testing.T) {
	w := pods(t)
	for line, c := range map[string]struct {
		code        int
		asked, says string
	}{
		"logs keystone": {asked: "openstack/keystone-1/log api tailLines=200; openstack/keystone-2/log api tailLines=200"},
		"logs galera --tail -1 --previous": {asked: "openstack/galera-0/log mariadb previous=true; " +
			"openstack/galera-0/log agent previous=true"},
		"logs keystone-2 --since 2m": {asked: "openstack/keystone-2/log api tailLines=200 sinceSeconds=120"},
		"logs keystone-2 -f":         {asked: "openstack/keystone-2/log api tailLines=200 follow=true"},
		"logs --operator":            {asked: "system/operator-1/log operator tailLines=200"},
		"logs": {asked: "openstack/galera-0/log mariadb tailLines=200; openstack/galera-0/log agent tailLines=200; " +
			"openstack/keystone-1/log api tailLines=200; openstack/keystone-2/log api tailLines=200"},
		"logs nova":   {code: exitUsage, says: "control plane cloud has no service or pod nova; it has galera, keystone"},
		"logs client": {code: exitFailed, says: "there are no pods to read from; see stackwright why"},
	} {
		t.Run(line, func(t *testing.T) {
			asked := w.asked()
			r := w.run(strings.Fields(line)...).want(t, c.code, c.says)
			if got := asked(); got != c.asked {
				t.Errorf("asked for are %s\nwant %s\n%s", got, c.asked, r.err)
			}
			if c.asked != "" && !strings.Contains(r.err, "not allowed") {
				t.Errorf("nobody learns of a log that cannot be read: %s", r.err)
			}
		})
	}
}

// Each line has the name of its pod before it.
func TestLogsNameTheirPods(t *testing.T) {
	w := pods(t)
	w.server.SetLog(types.NamespacedName{Namespace: "openstack", Name: "keystone-2"}, "started\nserves")
	r := w.run("logs", "keystone-2").want(t, exitDone)
	if want := "keystone-2 started\nkeystone-2 serves\n"; r.out != want {
		t.Errorf("it says %q, want %q", r.out, want)
	}
}

func TestShell(t *testing.T) {
	w := pods(t)
	for line, c := range map[string]struct{ asked, says string }{
		// Of several pods one that is ready.
		"shell keystone -- true": {asked: "openstack/keystone-2/exec api command=true"},
		"shell galera-0 --container agent -- ls -l": {
			asked: "openstack/galera-0/exec agent command=ls,-l"},
		"shell galera": {asked: "openstack/galera-0/exec mariadb command=sh,-c," +
			"command -v bash >/dev/null && exec bash || exec sh"},
		"shell keystone galera": {says: `one place at a time, not ["keystone" "galera"]; a command comes after --`},
		"shell nova":            {says: "has no service or pod nova"},
		"shell client":          {says: "service client has no pod; see stackwright why client"},
	} {
		t.Run(line, func(t *testing.T) {
			asked := w.asked()
			args := append([]string{"--kubeconfig", w.kubeconfig}, strings.Fields(line)...)
			r := run(t, "", args...)
			if got := asked(); got != c.asked {
				t.Errorf("asked for is %s\nwant %s", got, c.asked)
			}
			if r.code == exitDone || !strings.Contains(r.err, c.says) {
				t.Errorf("the exit code is %d, and nothing says %q: %s", r.code, c.says, r.err)
			}
		})
	}
}

func TestCompletion(t *testing.T) {
	home(t, t.TempDir())
	for _, shell := range []string{"bash", "zsh", "fish"} {
		run(t, "", "completion", shell).want(t, exitDone, "stackwright")
	}
	run(t, "", "__complete", "st").want(t, exitDone, "status")
	run(t, "", "__complete", "logs", "--o").want(t, exitDone, "--operator")
}
