//go:build e2e

package machine

import (
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/test/e2e/story"
)

// chores does once what services do each day or so, such as to purge what was deleted from their databases, rather than
// wait for the night.
func (a *ascent) chores(t *testing.T) {
	t.Helper()
	w := story.Join(t, a.c)
	all := &batchv1.CronJobList{}
	if err := w.List(t.Context(), all, client.InNamespace("openstack")); err != nil {
		t.Fatal(err)
	}
	var done []string
	for i := range all.Items {
		c := &all.Items[i]
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: c.Name + "-now"},
			Spec: c.Spec.JobTemplate.Spec}
		w.Apply(job)
		t.Logf("%s is done after %s", c.Name, w.Ready(2*time.Minute, job).Round(time.Second))
		if err := w.Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			t.Fatal(err)
		}
		done = append(done, c.Name)
	}
	for _, want := range []string{"keystone", "nova", "cinder"} {
		if !slices.ContainsFunc(done, func(name string) bool { return strings.HasPrefix(name, "openstack-"+want+"-") }) {
			t.Errorf("%s has nothing to do, only %v", want, done)
		}
	}
}
