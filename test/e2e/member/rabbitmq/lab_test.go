//go:build e2e

package rabbitmq_test

import (
	"os"
	"testing"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	operator "stackwright.dev/stackwright/internal/infra/rabbitmq"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Names inside of the test's own network.
const (
	broker = "mq"
	domain = "mq-members.test.svc"
	fabric = "swr-fab"
)

func TestMain(m *testing.M) { os.Exit(story.Inside(m, fabric, "10.78.0.254/24")) }

// lab is three members and a network between them.
type lab struct{ *story.Lab }

func newLab(t *testing.T) *lab {
	t.Helper()
	spec := &infrav1.RabbitMQ{}
	spec.Name, spec.Namespace, spec.Spec.Replicas = broker, "test", 3
	files := map[string]string{"/etc/stackwright/cookie/cookie": "a cookie of the test and nothing else"}
	for name, text := range operator.Config(spec) {
		files["/etc/stackwright/rabbitmq/"+name] = text
	}
	return &lab{Lab: story.NewLab(t, story.Service{Image: "rabbitmq", ID: 42439, Name: broker, Domain: domain,
		Names: operator.Hosts(spec), Fabric: fabric, Link: "swr", Subnet: "10.78.0.", Data: "/var/lib/rabbitmq",
		Sockets: "/run/rabbitmq", Files: files, Command: []string{"rabbitmq", "--domain=" + domain}}, 3)}
}
