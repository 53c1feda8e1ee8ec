package story

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
)

// Kill deletes the pods whose names begin with prefix without grace, and returns how many there were. Kubernetes has
// others made at once; the kubelet still sends SIGTERM, and SIGKILL 2 s later. What ends in order by then does: see
// Crash.
func (w *World) Kill(namespace, prefix string) int {
	w.Helper()
	pods, killed := &corev1.PodList{}, 0
	if err := w.List(w.Context(), pods, client.InNamespace(namespace)); err != nil {
		w.Fatalf("listing pods of namespace %s: %v", namespace, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !strings.HasPrefix(pod.Name, prefix) {
			continue
		}
		killed++
		err := w.Delete(w.Context(), pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
		if client.IgnoreNotFound(err) != nil {
			w.Fatalf("killing pod %s: %v", pod.Name, err)
		}
	}
	return killed
}

// Crash ends the processes of the pods whose names begin with prefix by SIGKILL, so that none does anything in order,
// and deletes these pods, as a container that only ended would wait under CrashLoopBackOff. It returns the names of
// those that had a process. Unlike MustCrash it may be called outside of the test's own goroutine.
func (w *World) Crash(ctx context.Context, namespace, prefix string) (crashed []string, err error) {
	pods := &corev1.PodList{}
	if err := w.List(ctx, pods, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing pods of namespace %s: %w", namespace, err)
	}
	var errs []error
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !strings.HasPrefix(pod.Name, prefix) {
			continue
		}
		n, err := hit(pod, unix.SIGKILL)
		if n > 0 {
			crashed = append(crashed, pod.Name)
			gone := w.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
			err = errors.Join(err, client.IgnoreNotFound(gone))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("crashing pod %s: %w", pod.Name, err))
		}
	}
	return crashed, errors.Join(errs...)
}

// MustCrash is Crash of at least one pod.
func (w *World) MustCrash(namespace, prefix string) {
	w.Helper()
	crashed, err := w.Crash(w.Context(), namespace, prefix)
	if err != nil || len(crashed) == 0 {
		w.Fatalf("crashing pods %s: %d had a process, %v", prefix, len(crashed), err)
	}
}

// KillAll is Kill of all pods with one of the prefixes, which have to be there, and waits until as many others are
// ready: what their owner says may still be of those that were killed. It returns how many there are.
func (w *World) KillAll(within time.Duration, namespace string, prefixes ...string) int {
	w.Helper()
	_, before, err := w.running(w.Context(), namespace, prefixes)
	if err != nil || len(before) == 0 {
		w.Fatalf("looking for pods %s: there are %d, %v", strings.Join(prefixes, ", "), len(before), err)
	}
	for _, prefix := range prefixes {
		w.Kill(namespace, prefix)
	}
	what := fmt.Sprintf("%d new pods of %s are ready", len(before), strings.Join(prefixes, ", "))
	w.Eventually(within, what, func(ctx context.Context) error {
		ready, now, err := w.running(ctx, namespace, prefixes)
		for uid, name := range now {
			if before[uid] != "" {
				return fmt.Errorf("%s, which was killed, is still there", name)
			}
		}
		if err == nil && ready < len(before) {
			err = fmt.Errorf("%d pods are ready of %d", ready, len(before))
		}
		return err
	})
	return len(before)
}

// running lists the pods that have not ended, by identity, and counts those that are ready.
func (w *World) running(ctx context.Context, namespace string, prefixes []string) (ready int,
	all map[types.UID]string, err error,
) {
	list := &corev1.PodList{}
	err = w.List(ctx, list, client.InNamespace(namespace))
	all = map[types.UID]string{}
	for i := range list.Items {
		pod := &list.Items[i]
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if ended || !hasPrefix(pod.Name, prefixes) {
			continue
		}
		all[pod.UID] = pod.Name
		if ok, _ := gate.For(pod)(pod); ok {
			ready++
		}
	}
	return ready, all, err
}

// Signal sends a signal to the processes of a pod, as this machine knows them, and returns how many there are.
func (w *World) Signal(pod *corev1.Pod, with unix.Signal) (processes int) {
	w.Helper()
	processes, err := hit(pod, with)
	if err != nil {
		w.Fatalf("pod %s: %v", pod.Name, err)
	}
	return processes
}

func hit(pod *corev1.Pod, signal unix.Signal) (processes int, err error) {
	if pod.UID == "" {
		return 0, errors.New("a pod without an identity would be every pod")
	}
	groups, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return 0, err
	}
	for _, group := range groups {
		of := filepath.Dir(group)
		// One that has ended meanwhile has no group any more.
		if in, _ := os.ReadFile(group); !bytes.Contains(in, []byte("pod"+pod.UID)) {
			continue
		}
		// The sandbox of the pod is none of its processes.
		if name, _ := os.ReadFile(filepath.Join(of, "comm")); string(name) == "pause\n" {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(of))
		if err == nil {
			err = unix.Kill(id, signal)
		}
		if err == nil {
			processes++
		} else if !errors.Is(err, unix.ESRCH) {
			return processes, fmt.Errorf("sending %s to process %d: %w", signal, id, err)
		}
	}
	return processes, nil
}

func hasPrefix(name string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
