package story

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestNamespace(t *testing.T) {
	for test, want := range map[string]string{
		"TestToken":                     "token",
		"TestGaleraComesBack":           "galera-comes-back",
		"TestAPIStaysUp/one_pod":        "apistays-up-one-pod",
		"TestTwoControlPlanes/size=dev": "two-control-planes-size-dev",
	} {
		if got := namespace(test); got != want {
			t.Errorf("namespace of %s is %s, want %s", test, got, want)
		}
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	for _, kind := range safe([]string{"pods", "secrets", "events", "galeras.infra.stackwright.dev"}) {
		if kind == "secrets" {
			t.Error("the content of Secrets would be kept")
		}
	}
}

// A probe counts failures and the longest time without a good answer, and its pace does not depend on the answers.
func TestProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := &World{TB: t}
		p := w.Watch(100*time.Millisecond, time.Second, func(ctx context.Context) error {
			if out := time.Since(began); out > 2*time.Second && out < 5*time.Second {
				<-ctx.Done()
				return fmt.Errorf("no answer of 10.0.%d.7:35357", time.Since(began)/time.Second)
			}
			return nil
		})
		<-time.After(10*time.Second + 50*time.Millisecond)
		got := p.Stop()
		if got.Total != 100 || got.Failed != 29 || got.Longest != 3*time.Second || got.Last == nil {
			t.Errorf("result is %s, last %v; want 29 of 100 failed, longest 3s", got, got.Last)
		}
		if want := "29 x no answer of #"; got.Reasons() != want {
			t.Errorf("reasons are %q, want %q", got.Reasons(), want)
		}
	})
}

// What is asked while the time runs out may take its time, and what is wrong is told at once.
func TestHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(3 * time.Second):
				return nil
			}
		}
		if err := holds(t.Context(), 5*time.Second, slow); err != nil {
			t.Errorf("a slow check that is content fails: %v", err)
		}
		wrong := errors.New("wrong")
		if err := holds(t.Context(), 5*time.Second, func(context.Context) error { return wrong }); !errors.Is(err, wrong) {
			t.Errorf("what is wrong is told as %v", err)
		}
	})
}

// While somebody is in the way everything may take longer, and no longer than that.
func TestSlack(t *testing.T) {
	for slack, want := range map[int]time.Duration{0: 10 * time.Second, 1: 10 * time.Second, 3: 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began, w := time.Now(), &World{TB: t, Slack: slack}
			w.Eventually(10*time.Second, "it is late", func(context.Context) error {
				if time.Since(began) < want-time.Second {
					return errors.New("not yet")
				}
				return nil
			})
		})
	}
}

// A pod of which nothing runs on this machine was not crashed, and is left alone.
func TestCrashCountsProcesses(t *testing.T) {
	pod := func(name string, uid types.UID) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: uid}}
	}
	idle := pod("operator-1", "00000000-0000-0000-0000-00000000000e")
	w := &World{TB: t, Client: fake.NewClientBuilder().WithObjects(idle, pod("other", "")).Build()}
	if crashed, err := w.Crash(t.Context(), "ns", "operator"); len(crashed) != 0 || err != nil {
		t.Errorf("crashed %v, %v", crashed, err)
	}
	if err := w.Get(t.Context(), w.Key(idle), idle); err != nil {
		t.Errorf("it is not there any more: %v", err)
	}
	if _, err := w.Crash(t.Context(), "ns", "other"); err == nil {
		t.Error("a pod without an identity is every pod")
	}
}
