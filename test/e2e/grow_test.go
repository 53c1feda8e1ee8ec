//go:build e2e

package e2e

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// A database and a broker of one member become clusters of three under a writer and a publisher, after which each bears
// the loss of the member that was alone, and the broker becomes one of one again. Nothing acknowledged is lost.
func TestOneMemberBecomesThree(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	g := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "db"}}
	g.Spec.Image, g.Spec.Replicas = image(w, "mariadb"), 1
	g.Spec.Storage.Size.Set(1 << 30)
	w.Apply(g)
	d := &infrav1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "app"}}
	d.Spec.Galera = "db"
	w.Apply(d)
	bus(w, "queues")
	r := &infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mq"}}
	if err := w.Get(t.Context(), w.Key(r), r); err != nil {
		t.Fatal(err)
	}
	w.Ready(5*time.Minute, d)
	rows, messages := startWriter(w, "app", memberHosts(w)...), startPublisher(w, "queues-bus")
	both := []*writer{rows, messages}

	grown := func(members int32) {
		t.Helper()
		bigger := &infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mq"}, Spec: r.Spec}
		bigger.Spec.Replicas = members
		w.Apply(bigger)
		t.Logf("a broker of %d members after %s", members, w.Ready(5*time.Minute, bigger))
	}
	three := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "db"}, Spec: g.Spec}
	three.Spec.Replicas = 3
	w.Apply(three)
	t.Logf("a database of 3 members after %s", w.Ready(5*time.Minute, three))
	grown(3)
	for _, wrote := range both {
		pause, why := wrote.longest()
		t.Logf("longest pause while it became three: %s (%s)", pause, why)
		wrote.grows(time.Minute)
	}
	for _, pod := range []string{"db-0", "mq-0"} {
		w.Replace(3*time.Minute, w.Namespace, pod)
	}
	for _, wrote := range both {
		pause, why := wrote.longest()
		t.Logf("longest pause, the member that was alone lost, too: %s (%s)", pause, why)
		wrote.grows(time.Minute)
	}
	w.Ready(3*time.Minute, three)
	rows.check()
	grown(1)
	messages.grows(time.Minute)
	messages.check()
}
