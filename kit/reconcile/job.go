package reconcile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// logTail is how much of a failed pod's last words a condition carries, in bytes.
const logTail = 1024

// runJob runs a Job once per distinct template. One that runs is waited for, never killed; one that failed stays until
// its inputs change or a person asks for a retry.
func (r *run[T]) runJob(i int) *outcome.Outcome {
	want, err := r.renderJob(i)
	if err != nil {
		return outcome.FromError(err)
	}
	res := &r.results[i]
	prev := r.o.KitStatus().Find(r.Steps[i].Name)
	for n := range res.items {
		it := &res.items[n]
		j, _ := r.record(it).(*batchv1.Job)
		switch {
		case keyOf(it) != want.key && j != nil && !finished(j):
			return outcome.Wait(name("Job", it.Name), "Job %s of the previous inputs still runs; wait until it ends.", it.Name)
		case keyOf(it) != want.key:
			continue
		case j == nil && prev != nil && prev.State == owner.StepDone:
			r.keepJob(i, want)
			return nil // it succeeded and somebody tidied it away: once is once
		case j != nil && failed(j) && r.retries(i, j):
			return r.retryJob(i, j)
		}
	}
	if out := r.applyAll(i, []wanted{want}); out != nil {
		return out
	}
	return r.jobOutcome(i)
}

// keepJob marks the Job as wanted without applying it.
func (r *run[T]) keepJob(i int, w wanted) { r.results[i].wants = map[itemKey]bool{w.key: true} }

// renderJob renders the Job and names it after a hash of its template.
func (r *run[T]) renderJob(i int) (wanted, error) {
	s := &r.Steps[i]
	if r.Observe != nil {
		r.Observe.Rendered(r.Name, s.Name)
	}
	sc := r.scope(i)
	j, err := s.Job(sc)
	if err = errors.Join(err, sc.Err()); err != nil {
		return wanted{}, fmt.Errorf("rendering step %s: %w", s.Name, err)
	}
	step.CompleteJob(j)
	raw, err := json.Marshal(&j.Spec.Template)
	if err != nil {
		return wanted{}, fmt.Errorf("hashing the job of step %s: %w", s.Name, err)
	}
	j.Name += "-" + apply.Hash(raw)[:8]
	return r.normalize(i, j)
}

func (r *run[T]) jobOutcome(i int) *outcome.Outcome {
	for n := range r.results[i].items {
		it := &r.results[i].items[n]
		if !r.results[i].wants[keyOf(it)] {
			continue
		}
		j, _ := r.record(it).(*batchv1.Job)
		switch {
		case j == nil || !finished(j):
			if t := r.because(it); t.what != "" {
				return outcome.Wait(name("Job", it.Name), "%s",
					fmt.Sprint("Job ", it.Name, " does not get on: ", t.what, "; ", t.do))
			}
			return outcome.Wait(name("Job", it.Name), "Job %s runs; wait, or read its log: kubectl -n %s logs job/%s.", it.Name,
				it.Namespace, it.Name)
		case failed(j):
			return r.jobFailed(i, j)
		}
	}
	return nil
}

func (r *run[T]) jobFailed(i int, j *batchv1.Job) *outcome.Outcome {
	out := outcome.Refuse("JobFailed",
		"Job %s failed%s; correct its inputs, or annotate the object with %s=%s to run it again.",
		j.Name, r.lastWords(j), AnnotationRetry, r.Steps[i].Name)
	if at := r.retryAt(i, j); !at.IsZero() {
		out.After = max(time.Second, at.Sub(r.now))
	}
	return out
}

// retries tells whether a failed Job runs again now: a person asks for it, or it is time.
func (r *run[T]) retries(i int, j *batchv1.Job) bool {
	at := r.retryAt(i, j)
	return r.retryToken(r.Steps[i].Name) != "" || (!at.IsZero() && !r.now.Before(at))
}

// retryAt is when a failed Job of a step with Every is to run again; zero is never.
func (r *run[T]) retryAt(i int, j *batchv1.Job) time.Time {
	every := r.Steps[i].Every
	if every == 0 {
		return time.Time{}
	}
	since := j.CreationTimestamp
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobFailed && !c.LastTransitionTime.IsZero() {
			since = c.LastTransitionTime
		}
	}
	return since.Add(every)
}

// lastWords returns exit code and last log lines of the Job's newest failed pod, as its status carries them.
func (r *run[T]) lastWords(j *batchv1.Job) string {
	pods := &corev1.PodList{}
	r.count.add()
	err := r.Live.List(r.ctx, pods, client.InNamespace(j.Namespace), client.MatchingLabels{batchv1.JobNameLabel: j.Name})
	if err != nil {
		return ""
	}
	slices.SortStableFunc(pods.Items, func(a, b corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	words := ""
	for p := range pods.Items {
		st := &pods.Items[p].Status
		for _, c := range slices.Concat(st.InitContainerStatuses, st.ContainerStatuses) {
			t := c.State.Terminated
			if t == nil || t.ExitCode == 0 {
				continue
			}
			msg := strings.TrimSpace(t.Message)
			if len(msg) > logTail {
				msg = msg[len(msg)-logTail:]
			}
			words = fmt.Sprintf(" with exit code %d: %s", t.ExitCode, msg)
		}
	}
	return strings.TrimRight(words, ". ")
}

// retryJob deletes a failed Job and then the annotation that asked for it, so that one request gives one more run.
func (r *run[T]) retryJob(i int, j *batchv1.Job) *outcome.Outcome {
	_, err := r.deleteObject(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), j, metav1.DeletePropagationBackground)
	if err != nil {
		return apply.Classify(fmt.Errorf("deleting failed job %s: %w", j.Name, err))
	}
	if r.retryToken(r.Steps[i].Name) == "" {
		return outcome.Wait(name("Job", j.Name), "Job %s is run again; wait.", j.Name)
	}
	patch := []byte(`{"metadata":{"annotations":{"` + AnnotationRetry + `":null}}}`)
	next := r.New()
	next.SetName(r.o.GetName())
	next.SetNamespace(r.o.GetNamespace())
	r.count.add()
	if err := r.Client.Patch(r.ctx, next, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return apply.Classify(fmt.Errorf("taking the retry annotation away: %w", err))
	}
	return outcome.Wait(name("Job", j.Name), "Job %s is run again; wait.", j.Name)
}

// retryToken returns the retry annotation if it names the step.
func (r *run[T]) retryToken(s string) string {
	if v := r.o.GetAnnotations()[AnnotationRetry]; v == s {
		return v
	}
	return ""
}

func finished(j *batchv1.Job) bool {
	return has(j, batchv1.JobComplete) || has(j, batchv1.JobFailed)
}

func failed(j *batchv1.Job) bool { return has(j, batchv1.JobFailed) }

func has(j *batchv1.Job, t batchv1.JobConditionType) bool {
	for _, c := range j.Status.Conditions {
		if c.Type == t && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}
