//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Keystone is given an option that it does not have, and then a value with which it cannot start. Its pods that run go
// on and every request is answered; those of another service are left alone. So goes Nova's only scheduler.
func TestWrongConfigHarmsNobody(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	keystone := &servicev1.Keystone{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-keystone"}}
	change := besidePlacement(w, cp)
	probe := asked(w, cp, 10*time.Second)
	pods := func() []types.UID {
		return append(running(w, cp.Namespace, "openstack-keystone-api"),
			running(w, cp.Namespace, "openstack-placement-api")...)
	}
	before := pods()
	configure := func(section, option string, v any) {
		t.Helper()
		value, err := servicev1.ValueOf(v)
		if err != nil {
			t.Fatal(err)
		}
		change.Spec.Services.Keystone = &controlplanev1.KeystoneService{API: controlplanev1.API{
			Config: map[string]servicev1.Options{section: {option: value}}}}
		w.Apply(change.DeepCopy())
	}
	configure("token", "expirations", 60)
	w.Eventually(time.Minute, "the wrong option is named, and the right one", func(ctx context.Context) error {
		return says(ctx, w, keystone, "expirations", "expiration")
	})
	configure("token", "provider", "nonsense")
	w.Eventually(2*time.Minute, "its new pod is waited for", func(ctx context.Context) error {
		return says(ctx, w, keystone, "keeps 1 old pods until all new ones are available")
	})
	w.Eventually(2*time.Minute, "its condition names the container, and what it says", func(ctx context.Context) error {
		return says(ctx, w, keystone, "container api of pod openstack-keystone-api-", "ended with exit code", "kubectl")
	})
	w.Eventually(2*time.Minute, "why names the pod that does not start", func(ctx context.Context) error {
		// It ends with another code when something is wrong.
		out, _ := w.Cluster.Stackwright(ctx, "why", "-n", cp.Namespace)
		return contains(out, "Pod "+cp.Namespace+"/openstack-keystone-api", "CrashLoopBackOff")
	})
	if out := w.OpenStack("resource", "class", "list", "-f", "value"); !strings.Contains(out, "VCPU") {
		t.Errorf("the resource classes are %q", out)
	}
	if after := pods(); !slices.Equal(before, after) {
		t.Errorf("pods %v ran, and now %v", before, after)
	}

	change.Spec.Services.Keystone = nil
	w.Apply(change.DeepCopy())
	w.Ready(2*time.Minute, keystone)
	w.Ready(time.Minute, cp)
	if after := pods(); !slices.Equal(before, after) {
		t.Errorf("pods %v ran, and after the repair %v", before, after)
	}
	if got := probe.Stop(); got.Failed > 0 {
		t.Errorf("%s, last: %v; none may fail", got, got.Last)
	} else {
		t.Log(got)
	}
	misspelt(w, cp, change)
}

// misspelt names a filter to Nova that there is not, which no catalogue of options knows: the new scheduler ends as it
// starts, and the old one works on.
func misspelt(w *story.World, cp, change *controlplanev1.OpenStackControlPlane) {
	w.Helper()
	nova := &servicev1.Nova{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-nova"}}
	change.Spec.Services.Glance = &controlplanev1.GlanceService{}
	change.Spec.Services.Neutron = &controlplanev1.NeutronService{}
	change.Spec.Services.Nova = &controlplanev1.NovaService{}
	w.Apply(change.DeepCopy())
	w.Ready(story.UpToReady, nova)
	w.Ready(time.Minute, cp)
	const scheduler = "openstack-nova-scheduler-"
	before := running(w, cp.Namespace, scheduler)
	filters, err := servicev1.ValueOf([]string{"ComputeFilter", "NoSuchFilter"})
	if err != nil {
		w.Fatal(err)
	}
	change.Spec.Services.Nova.Config = map[string]servicev1.Options{"filter_scheduler": {"enabled_filters": filters}}
	w.Apply(change.DeepCopy())
	w.Eventually(3*time.Minute, "its condition names the scheduler that ends", func(ctx context.Context) error {
		return says(ctx, w, nova, "container scheduler of pod "+scheduler, "ended with exit code", "kubectl")
	})
	if after := running(w, cp.Namespace, scheduler); len(before) != 1 || !slices.Equal(before, after) {
		w.Errorf("the schedulers %v ran, and now %v", before, after)
	}
	w.Holds(30*time.Second, "the scheduler is up", w.Prints("openstack-nova-scheduler up", "compute", "service", "list",
		"-f", "value", "-c", "Host", "-c", "State"))
	change.Spec.Services.Nova.Config = nil
	w.Apply(change.DeepCopy())
	w.Ready(3*time.Minute, nova)
	if after := running(w, cp.Namespace, scheduler); !slices.Equal(before, after) {
		w.Errorf("the schedulers %v ran, and after the repair %v", before, after)
	}
}

// besidePlacement gives a control plane Placement, too, and returns what to change.
func besidePlacement(w *story.World, cp *controlplanev1.OpenStackControlPlane) *controlplanev1.OpenStackControlPlane {
	w.Helper()
	change := w.Change(cp)
	change.Spec.Services.Placement = &controlplanev1.PlacementService{}
	w.Apply(change.DeepCopy())
	w.Ready(story.UpToReady, &servicev1.Placement{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace,
		Name: "openstack-placement"}})
	w.Ready(time.Minute, cp)
	return change
}

// asked validates a token five times a second until it is stopped, and waits for an answer as long as patience.
func asked(w *story.World, cp *controlplanev1.OpenStackControlPlane, patience time.Duration) *story.Probe {
	w.Helper()
	users := w.Users(cp)
	token, err := users.Token(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return w.Watch(200*time.Millisecond, patience, func(ctx context.Context) error {
		return users.Validate(ctx, token)
	})
}

// running are the pods by a prefix of their names that are ready.
func running(w *story.World, namespace, prefix string) []types.UID {
	w.Helper()
	pods := &corev1.PodList{}
	if err := w.List(w.Context(), pods, client.InNamespace(namespace)); err != nil {
		w.Fatal(err)
	}
	var out []types.UID
	for i := range pods.Items {
		p := &pods.Items[i]
		ready := slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
		if ready && strings.HasPrefix(p.Name, prefix) {
			out = append(out, p.UID)
		}
	}
	slices.Sort(out)
	return out
}

// owned is an object of one of our operators.
type owned interface {
	client.Object
	KitStatus() *owner.Status
}

// says checks that an object is not ready with a message that has all words.
func says(ctx context.Context, w *story.World, obj owned, words ...string) error {
	if err := w.Get(ctx, w.Key(obj), obj); err != nil {
		return err
	}
	for _, c := range obj.KitStatus().Conditions {
		if c.Type == "Ready" && c.Status == metav1.ConditionFalse && contains(c.Message, words...) == nil {
			return nil
		}
	}
	return fmt.Errorf("its conditions are %v", obj.KitStatus().Conditions)
}

// contains checks that a text has all words.
func contains(text string, words ...string) error {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return errors.New("there is no " + word + " in\n" + text)
		}
	}
	return nil
}

// A cache is lost under load: it costs nobody more than a moment, neither those who ask Keystone, which uses it before,
// and the next one after, nor those who ask a service that remembers tokens itself.
func TestCacheIsLost(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	all := w.Change(cp)
	core(&all.Spec.Services)
	w.Apply(all)
	w.Ready(2*story.UpToReady, cp)
	asks := customers(w, cp)
	const soon = 5 * time.Second
	first, err := hits(t.Context(), w, cp)
	before := latencies(w, 15*time.Second, asks)
	last, then := hits(t.Context(), w, cp)
	if n := len(before["identity"]); errors.Join(err, then) != nil || last-first < n {
		t.Errorf("while %d answers were given, %d things were found in the cache: %v", n, last-first, errors.Join(err, then))
	}
	n := w.Kill(cp.Namespace, "openstack-memcached")
	if n == 0 {
		t.Fatal("there is no pod of the cache")
	}
	t.Logf("%d pods of the cache were killed", n)
	during := latencies(w, soon, asks)
	after := latencies(w, 15*time.Second, asks)
	w.Eventually(2*time.Minute, "the new cache is in use", func(ctx context.Context) error {
		found, err := hits(ctx, w, cp)
		if err = errors.Join(err, asks["identity"](ctx)); err == nil && found == 0 {
			err = errors.New("nothing was found in it")
		}
		return err
	})
	for service := range asks {
		was, is := p99(before[service]), p99(after[service])
		t.Logf("%s: of 100 answers 99 come within %s before, %s in the first %s, %s then", service, was,
			p99(during[service]), soon, is)
		if limit := max(3*was, 200*time.Millisecond); is > limit {
			t.Errorf("%s: %s after the cache was lost an answer takes %s, at most %s", service, soon, is, limit)
		}
	}
}

// customers ask services of a cloud for something with one token.
func customers(w *story.World, cp *controlplanev1.OpenStackControlPlane) map[string]func(context.Context) error {
	w.Helper()
	users := w.Users(cp)
	token, err := users.Token(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	out := map[string]func(context.Context) error{
		"identity": func(ctx context.Context) error { return users.Validate(ctx, token) }}
	for service, path := range map[string]string{"compute": "/servers", "network": "/v2.0/networks"} {
		url := w.OpenStack("endpoint", "list", "--service", service, "--interface", "public", "-f", "value", "-c", "URL")
		out[service] = func(ctx context.Context) error { return users.Get(ctx, url+path, token) }
	}
	return out
}

// statistics prints those of caches, which it knows, and which know it, as Keystone does. Nobody else gets an answer.
const statistics = `
import socket, ssl, sys
folder = "/etc/stackwright/memcached/"
stranger = ssl.create_default_context(cafile=folder + "ca.crt")
client = ssl.create_default_context(cafile=folder + "ca.crt")
client.load_cert_chain(folder + "tls.crt", folder + "tls.key")
def ask(tls, server):
    host, port = server.rsplit(":", 1)
    with tls.wrap_socket(socket.create_connection((host, int(port)), 10), server_hostname=host) as s:
        s.sendall(b"stats settings\r\nstats\r\nquit\r\n")
        return s.makefile().read()
for server in sys.argv[1:]:
    print(ask(client, server))
    try:
        sys.exit(server + " answers who has no certificate: " + ask(stranger, server))
    except ssl.SSLError as e:
        print("refused:", e.reason)
`

// hits is how often something was found in the caches of a cloud, asked from a pod of Keystone as Keystone does.
func hits(ctx context.Context, w *story.World, cp *controlplanev1.OpenStackControlPlane) (total int, err error) {
	w.Helper()
	cache := &infrav1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: cp.Name + "-memcached"}}
	if err := w.Get(ctx, w.Key(cache), cache); err != nil {
		return 0, err
	}
	said, err := w.Cluster.Kubectl(ctx, append([]string{"-n", cp.Namespace, "exec",
		"deployment/" + cp.Name + "-keystone-api", "--", "python3", "-c", statistics}, cache.Status.Servers...)...)
	if err != nil {
		return 0, err
	}
	for _, each := range []string{"STAT ssl_enabled yes", "refused: "} {
		if strings.Count(said, each) != len(cache.Status.Servers) {
			return 0, fmt.Errorf("not all of %v say %q:\n%s", cache.Status.Servers, each, said)
		}
	}
	for line := range strings.Lines(said) {
		var n int
		if _, err := fmt.Sscanf(line, "STAT get_hits %d", &n); err == nil {
			total += n
		}
	}
	return total, nil
}

// latencies asks again and again for as long as d, each beside the others, and returns how long each answer took, in
// order.
func latencies(w *story.World, d time.Duration, asks map[string]func(context.Context) error,
) map[string][]time.Duration {
	w.Helper()
	out, lock, all := map[string][]time.Duration{}, sync.Mutex{}, sync.WaitGroup{}
	for service, ask := range asks {
		all.Go(func() {
			var took []time.Duration
			for began := time.Now(); time.Since(began) < d; {
				asked := time.Now()
				if err := ask(w.Context()); err != nil {
					w.Errorf("%s after %s: %v", service, time.Since(began), err)
				}
				took = append(took, time.Since(asked))
			}
			slices.Sort(took)
			lock.Lock()
			defer lock.Unlock()
			out[service] = took
		})
	}
	all.Wait()
	return out
}

func p99(sorted []time.Duration) time.Duration {
	return sorted[len(sorted)*99/100].Round(time.Millisecond)
}
