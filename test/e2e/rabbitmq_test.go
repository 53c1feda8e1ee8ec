//go:build e2e

package e2e

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Nobody but members comes to the ports by which these find each other. All members are killed at once, and then each
// alone, while messages are published. None that was confirmed is lost.
func TestRabbitMQComesBack(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	r, b := newRabbitMQ(w)
	member := func(port int) string { return fmt.Sprintf("mq-0.mq-members.%s.svc:%d", w.Namespace, port) }
	keptOut(w, member(5671), member(4369), member(25672), member(8443))
	publisher := startPublisher(w, b.Status.SecretName)

	for range 2 {
		kill(w, "rabbitmq", "mq-")
		publisher.grows(3 * time.Minute)
		w.Ready(3*time.Minute, r)
	}
	for _, pod := range []string{"mq-0", "mq-1", "mq-2"} {
		w.Replace(3*time.Minute, w.Namespace, pod)
		publisher.grows(time.Minute)
		w.Ready(3*time.Minute, r)
	}
	pause, why := publisher.longest()
	t.Logf("longest pause between two messages: %s (%s)", pause, why)
	publisher.check()
}

// newRabbitMQ makes a cluster of three with a MessageBus, and waits for both.
func newRabbitMQ(w *story.World) (*infrav1.RabbitMQ, *infrav1.MessageBus) {
	w.Helper()
	r := &infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mq"}}
	r.Spec.Image, r.Spec.Replicas = image(w, "rabbitmq"), 3
	r.Spec.Storage.Size.Set(1 << 30)
	w.Apply(r)
	b := &infrav1.MessageBus{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "app"}}
	b.Spec.RabbitMQ = "mq"
	w.Apply(b)
	w.Ready(5*time.Minute, b)
	w.Ready(5*time.Minute, r)
	return r, b
}
