package service

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// jobRetries bridge a database or a registry that is away for some minutes.
const jobRetries = 6

// annotationDatabase tells Jobs on one database apart from those on another one in its place.
const annotationDatabase = "service.stackwright.dev/database"

// JobStep runs a command of the service once for each image, command and database.
func (s Service[T]) JobStep(name string, pod func(*step.Scope[T]) (Pod[T], error), o ...step.Option[T]) step.Step[T] {
	if s.Database != nil {
		o = append(o, step.Sees[T](StepDatabase))
	}
	return step.Job(name, func(sc *step.Scope[T]) (*batchv1.Job, error) {
		p, err := pod(sc)
		if err != nil {
			return nil, err
		}
		job := s.Job(sc.Owner(), name, p)
		if made := s.made(sc); made != "" {
			metav1.SetMetaDataAnnotation(&job.Spec.Template.ObjectMeta, annotationDatabase, made)
		}
		return job, nil
	}, append(o, step.After[T](StepAccess, StepConfig), step.Component[T](ComponentSetup))...)
}

func (s Service[T]) made(sc *step.Scope[T]) string {
	if s.Database == nil {
		return ""
	}
	return Made(sc, StepDatabase, sc.Owner().GetName())
}

// Made tells apart the schemas that a step's Database has had: one that was dropped, or lost with its cluster, and made
// again is empty. The operator of databases notes when it came to a schema; that its cluster began anew with the data
// it had changes nothing.
func Made[T Object](sc *step.Scope[T], from, name string) string {
	d, ok := sc.Child(from, "Database", name).(*infrav1.Database)
	if !ok || d.UID == "" { // a rehearsal has made it
		return ""
	}
	id := []byte(d.UID)
	for _, e := range d.Status.Externals {
		id = fmt.Appendf(id, "/%s/%d", e.ID, e.Since.Unix())
	}
	return apply.Hash(id)
}

// Job makes a Job with the service's name before its own.
func (s Service[T]) Job(o T, name string, p Pod[T]) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: s.meta(o, o.GetName()+"-"+name),
		Spec:       s.jobSpec(o, p),
	}
}

func (s Service[T]) jobSpec(o T, p Pod[T]) batchv1.JobSpec {
	p.Restart = corev1.RestartPolicyNever
	return batchv1.JobSpec{
		BackoffLimit: new(int32(jobRetries)),
		// Never two at a time, not even while the first one is being ended.
		PodReplacementPolicy: new(batchv1.Failed),
		Template:             s.Template(o, p),
	}
}

// CronSteps make a CronJob and tell in a condition when its last run has failed. It advises: a service serves while
// what can wait fails.
func CronSteps[T Object](name, condition string, render func(*step.Scope[T]) ([]client.Object, error),
	o ...step.Option[T]) []step.Step[T] {
	setup := step.Component[T](ComponentSetup)
	// With a gate of its own the status is at hand.
	return []step.Step[T]{
		step.Objects(name, render, append(o, step.Makes[T](&batchv1.CronJob{}), step.Ready[T]("CronJob", gate.Exists),
			setup)...),
		step.Check(name+"-runs", func(_ context.Context, sc *step.Scope[T]) *outcome.Outcome {
			c, ok := sc.Child(name, "CronJob", sc.Owner().GetName()+"-"+name).(*batchv1.CronJob)
			if !ok || ran(&c.Status) {
				return nil
			}
			return outcome.Wait("CronJob "+c.Name, "the run of CronJob %s that was due at %s has failed, and the next one "+
				"tries again; see kubectl -n %s logs -l app.kubernetes.io/instance=%s,app.kubernetes.io/component=%s --tail=50",
				c.Name, c.Status.LastScheduleTime.UTC().Format(time.RFC3339), c.Namespace, sc.Owner().GetName(), name)
		}, step.Sees[T](name), step.Advises[T](condition), setup),
	}
}

// ran tells whether the last run of a CronJob that has ended did so well. Its controller notes the end of a Job in one
// write with taking it off the list of those that run.
func ran(c *batchv1.CronJobStatus) bool {
	return len(c.Active) > 0 || c.LastScheduleTime == nil ||
		c.LastSuccessfulTime != nil && !c.LastSuccessfulTime.Before(c.LastScheduleTime)
}

// Cron makes a CronJob with the service's name before its own.
func (s Service[T]) Cron(o T, name, schedule string, p Pod[T]) *batchv1.CronJob {
	return &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: o.GetName() + "-" + name, Namespace: o.GetNamespace(), Labels: s.Labels(o, "")},
		Spec: batchv1.CronJobSpec{
			Schedule:                   schedule,
			TimeZone:                   new("UTC"),
			ConcurrencyPolicy:          batchv1.ForbidConcurrent,
			StartingDeadlineSeconds:    new(int64(600)),
			SuccessfulJobsHistoryLimit: new(int32(1)),
			FailedJobsHistoryLimit:     new(int32(1)),
			JobTemplate:                batchv1.JobTemplateSpec{Spec: s.jobSpec(o, p)},
		},
	}
}
