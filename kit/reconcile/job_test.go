package reconcile_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

func imageJob(s *scope) (*batchv1.Job, error) {
	j, err := job(s)
	j.Spec.Template.Spec.Containers[0].Image = s.Owner().Spec.Image
	return j, err
}

func (w *world) jobs() []batchv1.Job {
	w.t.Helper()
	l := &batchv1.JobList{}
	w.do(w.c.List(w.t.Context(), l))
	return l.Items
}

// TestJob is criterion 18.
func TestJob(t *testing.T) {
	def := define(step.Job("migrate", imageJob, step.Condition[*app]("MigrationReady")))
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		first := w.jobs()[0]
		change(w, &app{}, "one", func(a *app) { a.Spec.Image = "app:2" })
		if got := w.jobs(); len(got) != 1 || got[0].Name != first.Name {
			t.Fatalf("changed inputs did not wait for the running job: %d jobs", len(got))
		}
		w.finishJob(&first, batchv1.JobComplete)
		w.pass(settle)
		got := w.jobs()
		if len(got) != 1 || got[0].Name == first.Name {
			t.Fatal("changed inputs did not run once the former job had ended")
		}
		failAndRetry(w)
	})
}

// TestJobRestarts is criterion 18 under 1,000 restarts: the same inputs never run twice, whether the Job runs, has
// succeeded, has failed, or was tidied away after it had succeeded.
func TestJobRestarts(t *testing.T) {
	restarts := 1000
	if race {
		restarts = 100
	}
	for state, bring := range map[string]func(*world, *batchv1.Job){
		"runs":        func(*world, *batchv1.Job) {},
		"succeeded":   func(w *world, j *batchv1.Job) { w.finishJob(j, batchv1.JobComplete) },
		"failed":      func(w *world, j *batchv1.Job) { w.finishJob(j, batchv1.JobFailed) },
		"tidied away": func(w *world, j *batchv1.Job) { w.finishJob(j, batchv1.JobComplete); w.tidy() },
	} {
		t.Run(state, func(t *testing.T) {
			inWorld(t, define(step.Job("migrate", imageJob)), func(w *world) {
				w.create(newApp("one"))
				j := w.jobs()[0]
				bring(w, &j)
				w.pass(settle)
				w.reqs.take()
				before, made := w.jobs(), 0
				for range restarts / 4 {
					w.stop()
					made += count(w.reqs.take(), "PATCH", "/jobs/")
					w.start()
				}
				after := w.jobs()
				if len(after) != len(before) || len(after) == 1 && after[0].UID != before[0].UID || made > 0 {
					t.Errorf("%d jobs were there before %d restarts and %d after them; %d applies, want none",
						len(before), restarts/4, len(after), made)
				}
				t.Logf("criterion 18: %d restarts with a Job that %s ran it %d times more", restarts/4, state, made)
			})
		})
	}
}

func (w *world) tidy() {
	w.t.Helper()
	w.pass(settle)
	w.deleteJobs()
}

func (w *world) deleteJobs() {
	w.t.Helper()
	w.do(w.c.DeleteAllOf(w.t.Context(), &batchv1.Job{}, client.InNamespace("default"),
		client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// deleteWhileRead deletes a Job while its pods are being read, and returns when the operator has seen it.
func (w *world) deleteWhileRead(h *http.Request, uid types.UID) {
	w.t.Helper()
	if jobs := w.jobs(); strings.HasSuffix(h.URL.Path, "/pods") && len(jobs) > 0 && jobs[0].UID == uid {
		w.deleteJobs()
		<-time.After(settle / 5)
	}
}

// jobPod makes a pod of a Job that has that status, a second after the one before.
func (w *world) jobPod(job, name string, status corev1.PodStatus) {
	w.t.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default",
		Labels: map[string]string{batchv1.JobNameLabel: job}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}}
	w.do(w.c.Create(w.t.Context(), p))
	p.Status = status
	w.do(w.c.Status().Update(w.t.Context(), p))
	w.pass(time.Second)
}

func failAndRetry(w *world) {
	w.t.Helper()
	var running batchv1.Job
	for _, j := range w.jobs() {
		if len(j.Status.Conditions) == 0 {
			running = j
		}
	}
	ended := func(code int32, words string) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Message: words}}}}
	}
	// The newest is neither the first nor the last by name.
	w.jobPod(running.Name, "migrate-x", corev1.PodStatus{ContainerStatuses: ended(1, "no route to host")})
	w.jobPod(running.Name, "migrate-a", corev1.PodStatus{InitContainerStatuses: ended(2, "no configuration")})
	w.jobPod(running.Name, "migrate-m", corev1.PodStatus{InitContainerStatuses: ended(3, "no such table: user")})
	w.finishJob(&running, batchv1.JobFailed)
	w.pass(settle)
	c := w.condition("one", "MigrationReady")
	if c.Reason != "JobFailed" || !strings.Contains(c.Message, "exit code 3: no such table: user") {
		w.t.Errorf("the failed job is not explained: %s %q", c.Reason, c.Message)
	}
	change(w, &app{}, "one", func(a *app) {
		a.SetAnnotations(merge(a.Annotations, "kit.stackwright.dev/retry",
			"migrate"))
	})
	w.pass(settle)
	again := &batchv1.Job{}
	w.do(w.c.Get(w.t.Context(), client.ObjectKeyFromObject(&running), again))
	if again.UID == running.UID || len(again.Status.Conditions) != 0 {
		w.t.Error("the retry annotation did not run the job again")
	}
	if _, ok := w.app("one").Annotations["kit.stackwright.dev/retry"]; ok {
		w.t.Error("the retry annotation stayed, so that the next failure would be retried unasked")
	}
	w.finishJob(again, batchv1.JobFailed)
	w.pass(3 * time.Hour)
	after := &batchv1.Job{}
	w.do(w.c.Get(w.t.Context(), client.ObjectKeyFromObject(again), after))
	if after.UID != again.UID {
		w.t.Error("the second failure was retried unasked")
	}
}

// TestFailedJobTidiedAway: a Job that failed and that somebody deletes is run again, also when it goes in the middle of
// a run: between what that knows of the Job and what it remembers of it.
func TestFailedJobTidiedAway(t *testing.T) {
	for name, during := range map[string]bool{"at rest": false, "while its last words are read": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, define(step.Job("migrate", imageJob)), func(w *world) {
				w.create(newApp("one"))
				first := w.jobs()[0]
				uid := first.UID
				if during {
					w.reqs.before = func(h *http.Request) { w.deleteWhileRead(h, uid) }
				}
				w.finishJob(&first, batchv1.JobFailed)
				w.pass(settle)
				if !during {
					w.tidy()
				}
				w.pass(2 * settle)
				if jobs := w.jobs(); len(jobs) != 1 || jobs[0].UID == uid {
					t.Errorf("there are %d jobs, want one more try", len(jobs))
				}
			})
		})
	}
}

// TestJobTidiedAway: a Job that succeeded and was removed by somebody is not run again.
func TestJobTidiedAway(t *testing.T) {
	inWorld(t, define(step.Job("migrate", imageJob)), func(w *world) {
		w.create(newApp("one"))
		w.roll()
		w.wantReady("one")
		w.tidy()
		w.pass(settle)
		w.stop()
		w.start()
		if n := len(w.jobs()); n != 0 {
			t.Errorf("%d jobs ran again", n)
		}
		w.wantReady("one")
	})
}

// What is done, undone and done again runs each time, also while another step fails, in which time nothing else is
// removed. A Job that failed takes nothing back of what the one before it has done.
func TestJobOfInputsThatComeBack(t *testing.T) {
	for name, c := range map[string]struct {
		second batchv1.JobConditionType
		again  bool
	}{
		"after another one":           {batchv1.JobComplete, true},
		"after another one's failure": {batchv1.JobFailed, false},
	} {
		t.Run(name, func(t *testing.T) {
			def := define(step.Job("migrate", imageJob), step.Check("broken", func(context.Context, *scope) *outcome.Outcome {
				return outcome.Fail(outcome.Unavailable, errors.New("nobody answers"))
			}))
			inWorld(t, def, func(w *world) {
				w.create(newApp("one"))
				first := w.jobs()[0]
				w.finishJob(&first, batchv1.JobComplete)
				w.pass(settle)
				before := w.app("one").Spec.Image
				change(w, &app{}, "one", func(a *app) { a.Spec.Image = "app:2" })
				for _, j := range w.jobs() {
					w.finishJob(&j, c.second)
				}
				w.pass(settle)
				change(w, &app{}, "one", func(a *app) { a.Spec.Image = before })
				now := &batchv1.Job{}
				w.do(w.c.Get(t.Context(), client.ObjectKeyFromObject(&first), now))
				if again := now.UID != first.UID; again != c.again {
					t.Errorf("the Job of the first inputs has run again: %t, want %t", again, c.again)
				}
			})
		})
	}
}

// A Job that failed is run again after the time that its step says, and not before.
func TestFailedJobRunsAgain(t *testing.T) {
	inWorld(t, define(step.Job("migrate", imageJob, step.Every[*app](time.Hour))), func(w *world) {
		w.create(newApp("one"))
		first := w.jobs()[0]
		w.finishJob(&first, batchv1.JobFailed)
		w.pass(50 * time.Minute)
		if got := w.jobs(); len(got) != 1 || got[0].UID != first.UID {
			t.Fatal("the job ran again too early")
		}
		w.stop()
		w.start()
		w.pass(20 * time.Minute)
		got := w.jobs()
		if len(got) != 1 || got[0].UID == first.UID {
			t.Fatal("the job did not run again")
		}
		w.finishJob(&got[0], batchv1.JobComplete)
		w.pass(2 * time.Hour)
		if again := w.jobs(); len(again) != 1 || again[0].UID != got[0].UID {
			t.Error("a job that has succeeded ran again")
		}
	})
}
