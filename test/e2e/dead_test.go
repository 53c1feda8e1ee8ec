//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// passedBy has the processes of all APIs die at once, and then hang at once. No Service may lead to one that is dead
// for more than ten seconds, nor to one that hangs for more than 15, and all serve again afterwards.
func (f fleet) passedBy() {
	f.Helper()
	apis := &corev1.PodList{}
	if err := f.List(f.Context(), apis, client.InNamespace(f.namespace),
		client.MatchingLabels{"app.kubernetes.io/component": "api"}); err != nil {
		f.Fatal(err)
	}
	names := map[types.UID]string{}
	for i := range apis.Items {
		names[apis.Items[i].UID] = strings.TrimPrefix(apis.Items[i].Name, "openstack-")
	}
	if led, err := f.led(f.Context()); err != nil || len(names) < 7 || !maps.Equal(among(led, names), names) {
		f.Fatalf("of APIs %v Services lead to %v, %v", names, among(led, names), err)
	}
	for _, fault := range []struct {
		what   string
		signal unix.Signal
		within time.Duration
	}{{"die", unix.SIGKILL, 10 * time.Second}, {"hang", unix.SIGSTOP, 15 * time.Second}} {
		f.Logf("when all APIs %s no Service leads to them after %v", fault.what,
			f.fails(names, fault.signal, fault.within))
		for i := range apis.Items {
			f.Signal(&apis.Items[i], unix.SIGCONT)
		}
		f.Eventually(3*time.Minute, "Services lead to all APIs", func(ctx context.Context) error {
			led, err := f.led(ctx)
			if now := among(led, names); err == nil && len(now) < len(names) {
				err = fmt.Errorf("they lead to %v", slices.Sorted(maps.Values(now)))
			}
			return err
		})
		f.Cloud()
	}
}

// fails sends a signal to pods, and returns after which time no Service led to each of them, the longest last.
func (f fleet) fails(pods map[types.UID]string, signal unix.Signal, within time.Duration) (after []string) {
	f.Helper()
	for uid, name := range pods {
		pod := &corev1.Pod{}
		if pod.UID = uid; f.Signal(pod, signal) == 0 {
			f.Errorf("pod %s has no process", name)
		}
	}
	began, waiting := time.Now(), maps.Clone(pods)
	f.Eventually(within, "no Service leads to them", func(ctx context.Context) error {
		led, err := f.led(ctx)
		if err != nil {
			return err
		}
		maps.DeleteFunc(waiting, func(uid types.UID, name string) bool {
			if !led[uid] {
				after = append(after, fmt.Sprintf("%s %.1f s", name, time.Since(began).Seconds()))
			}
			return !led[uid]
		})
		if len(waiting) > 0 {
			return fmt.Errorf("one leads to %v", slices.Sorted(maps.Values(waiting)))
		}
		return nil
	})
	return after
}

// led are the pods to which a Service leads.
func (f fleet) led(ctx context.Context) (map[types.UID]bool, error) {
	list, out := &discoveryv1.EndpointSliceList{}, map[types.UID]bool{}
	err := f.List(ctx, list, client.InNamespace(f.namespace))
	for _, s := range list.Items {
		for _, e := range s.Endpoints {
			if e.TargetRef != nil && e.Conditions.Ready != nil && *e.Conditions.Ready {
				out[e.TargetRef.UID] = true
			}
		}
	}
	return out, err
}

// among are those of pods that are in a set.
func among(set map[types.UID]bool, pods map[types.UID]string) map[types.UID]string {
	out := maps.Clone(pods)
	maps.DeleteFunc(out, func(uid types.UID, _ string) bool { return !set[uid] })
	return out
}
