package reconcile_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"
)

// podBy makes a pod as the controllers of Kubernetes do, for one of their objects.
func (w *world) podBy(kind, group, maker, name string, change func(*corev1.PodStatus)) {
	w.t.Helper()
	p := &corev1.Pod{Spec: pod().Spec}
	p.Name, p.Namespace, p.Labels = name, "default", map[string]string{"app": "x", "pod-template-hash": "5d9f"}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: group, Kind: kind, Name: maker, UID: "1",
		Controller: new(true)}}
	w.do(w.c.Create(w.t.Context(), p))
	w.says(name, change)
}

// says gives a pod the status that the kubelet gives it.
func (w *world) says(name string, change func(*corev1.PodStatus)) {
	w.t.Helper()
	p := &corev1.Pod{}
	w.do(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, p))
	p.Status = corev1.PodStatus{Phase: corev1.PodPending}
	change(&p.Status)
	w.do(w.c.Status().Update(w.t.Context(), p))
	w.pass(settle)
}

// unavailable has the counters of a Deployment say that its pod is there and does not serve.
func (w *world) unavailable(name string) {
	w.t.Helper()
	d := &appsv1.Deployment{}
	w.do(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, d))
	d.Status = available(d)
	d.Status.AvailableReplicas, d.Status.ReadyReplicas = 0, 0
	w.do(w.c.Status().Update(w.t.Context(), d))
	w.pass(settle)
}

func inState(state corev1.ContainerState, last *corev1.ContainerStateTerminated) func(*corev1.PodStatus) {
	return func(s *corev1.PodStatus) {
		s.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: state,
			LastTerminationState: corev1.ContainerState{Terminated: last}}}
		if last != nil {
			s.ContainerStatuses[0].RestartCount = 1
		}
	}
}

func waitingFor(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

// ceased is what a pod says that was ready a minute after its container had started, and is not ready now.
func ceased(s *corev1.PodStatus) {
	begin := metav1.Now()
	inState(corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: begin}}, nil)(s)
	s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse,
		LastTransitionTime: metav1.NewTime(begin.Add(time.Minute))}}
}

var running = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}

// watched selects the pods of the test's workloads.
func watched(def kit.Definition[*app]) kit.Definition[*app] {
	def.Options.Pods = labels.SelectorFromSet(labels.Set{"app": "x"})
	return def
}

// The condition that waits for a workload says why its pod does not start, in words that stay while the kubelet tries
// again and again, and nothing is asked for that.
func TestPodsSayWhy(t *testing.T) {
	crashed := &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error", Message: "no such\nfile"}
	for name, c := range map[string]struct {
		states []func(*corev1.PodStatus)
		want   string
	}{
		"an image that is not there": {[]func(*corev1.PodStatus){
			inState(waitingFor("ErrImagePull", "failed to pull: not found"), nil),
			inState(waitingFor("ImagePullBackOff", `Back-off pulling image "a": ErrImagePull: failed to pull: not found`), nil),
		}, "Deployment one-web has 0 of 1 pods available: container c of pod web-1: its image cannot be pulled: " +
			"failed to pull: not found; load or push that image"},
		"a container that crashes": {[]func(*corev1.PodStatus){
			inState(corev1.ContainerState{Terminated: crashed}, nil),
			inState(waitingFor("CrashLoopBackOff", "back-off 10s restarting failed container"), crashed),
			inState(waitingFor("CrashLoopBackOff", "back-off 20s restarting failed container"), crashed),
			inState(running, crashed),
		}, "container c of pod web-1: ended with exit code 2: no such file; read its log: kubectl -n default logs web-1"},
		"a Secret that is not there": {[]func(*corev1.PodStatus){
			inState(waitingFor("CreateContainerConfigError", `secret "x" not found`), nil),
		}, `CreateContainerConfigError: secret "x" not found; make the Secret`},
		"many words": {[]func(*corev1.PodStatus){
			inState(waitingFor("CreateContainerError", strings.Repeat("word ", 200)), nil),
		}, "word word wor...; make the Secret"},
		"a container that works no more": {[]func(*corev1.PodStatus){ceased}, "container c of pod web-1: Unhealthy: " +
			"it runs, and its probe says that it does not work any more; " +
			"see what the probe says: kubectl -n default describe pod web-1"},
		"no node": {[]func(*corev1.PodStatus){func(s *corev1.PodStatus) {
			s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				Reason: "Unschedulable", Message: "0/1 nodes are available: 1 Insufficient memory."}}
		}}, "pod web-1: Unschedulable: 0/1 nodes are available: 1 Insufficient memory; add a node"},
	} {
		t.Run(name, func(t *testing.T) {
			def := define(step.Objects("web", workload("web"), makesWeb, step.Condition[*app]("WebReady")))
			inWorld(t, watched(def), func(w *world) {
				w.create(newApp("one"))
				w.unavailable("one-web")
				w.podBy("ReplicaSet", "apps/v1", "another-web-5d9f", "stranger-1", inState(waitingFor("Strange", "it is"), nil))
				w.podBy("ReplicaSet", "apps/v1", "one-web-5d9f", "web-1", inState(running, nil))
				if got := w.condition("one", "WebReady").Message; strings.Contains(got, "pod ") {
					t.Errorf("a pod that starts is told of: %s", got)
				}
				w.says("web-1", c.states[0])
				first := w.condition("one", "WebReady").Message
				if !strings.Contains(first, c.want) {
					t.Fatalf("got message %q, want in it %q", first, c.want)
				}
				w.reqs.take()
				for _, s := range c.states[1:] {
					w.says("web-1", s)
				}
				w.pass(time.Minute)
				w.wantRequests("a minute in which the kubelet tries again", 0)
				w.roll()
				w.wantReady("one")
			})
		})
	}
}

// A Job whose pod does not start says so, too, and the owner has run 100 ms after its pod could.
func TestPodsOfJobs(t *testing.T) {
	def := define(step.Job("sync", job, step.Condition[*app]("SyncReady")))
	inWorld(t, watched(def), func(w *world) {
		w.create(newApp("one"))
		jobs := &batchv1.JobList{}
		w.do(w.c.List(t.Context(), jobs))
		w.podBy("Job", "batch/v1", jobs.Items[0].Name, "sync-1", inState(waitingFor("InvalidImageName", "no image"), nil))
		c := w.condition("one", "SyncReady")
		if !strings.Contains(c.Message, "does not get on: container c of pod sync-1: InvalidImageName: no image; ") {
			t.Errorf("got message %q", c.Message)
		}
		w.says("sync-1", inState(running, nil))
		if c = w.condition("one", "SyncReady"); !strings.Contains(c.Message, " runs; wait, or read its log") {
			t.Errorf("after the repair the message is %q", c.Message)
		}
	})
}

// Who does not say which pods are its own looks at none and needs no right to.
func TestPodsNeedARight(t *testing.T) {
	def := define(step.Objects("web", workload("web"), makesWeb))
	for want, d := range map[bool]kit.Definition[*app]{false: def, true: watched(def)} {
		c, err := kit.New(d, scheme(t))
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, gvk := range c.Plan().Reads {
			got = got || gvk.Kind == "Pod"
		}
		if got != want {
			t.Errorf("with pods %t the plan reads pods: %t", want, got)
		}
	}
}
