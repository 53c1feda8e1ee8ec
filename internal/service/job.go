package service

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/step"
)

// jobRetries bridge a database or a registry that is away for some minutes.
const jobRetries = 6

// JobStep runs a command of the service once for each image and command.
func (s Service[T]) JobStep(name string, pod func(*step.Scope[T]) (Pod[T], error), o ...step.Option[T]) step.Step[T] {
	return step.Job(name, func(sc *step.Scope[T]) (*batchv1.Job, error) {
		p, err := pod(sc)
		if err != nil {
			return nil, err
		}
		return s.Job(sc.Owner(), name, p), nil
	}, append(o, step.After[T](StepAccess, StepConfig), step.Component[T](ComponentSetup))...)
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

// Cron makes a CronJob with the service's name before its own.
func (s Service[T]) Cron(o T, name, schedule string, p Pod[T]) *batchv1.CronJob {
	return &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: o.GetName() + "-" + name, Namespace: o.GetNamespace(), Labels: s.Labels(o, "")},
		Spec: batchv1.CronJobSpec{
			Schedule:                   schedule,
			ConcurrencyPolicy:          batchv1.ForbidConcurrent,
			StartingDeadlineSeconds:    new(int64(600)),
			SuccessfulJobsHistoryLimit: new(int32(1)),
			FailedJobsHistoryLimit:     new(int32(1)),
			JobTemplate:                batchv1.JobTemplateSpec{Spec: s.jobSpec(o, p)},
		},
	}
}
