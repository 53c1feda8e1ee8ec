package cli

import (
	"bytes"
	"testing"

	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/why"
)

// Each cause comes with what to do about it, once, and with -A all of them do.
func TestWhyTellsWhatToDoAboutEachCause(t *testing.T) {
	claim := func(name, do string) *why.Finding {
		return &why.Finding{Object: why.Object{Kind: "PersistentVolumeClaim", Namespace: "openstack", Name: name},
			Reason: "NodeGone", Message: "its volume is on node three", Do: do}
	}
	of := func(kind, name, do string, because ...*why.Finding) *why.Finding {
		return &why.Finding{Object: why.Object{Kind: kind, Namespace: "openstack", Name: name}, Reason: "Waiting",
			Message: "it waits", Do: do, Because: because}
	}
	f := of("OpenStackControlPlane", "cloud", "",
		of("Galera", "cloud-galera", "", claim("data-cloud-galera-0", "delete pvc/data-cloud-galera-0")),
		of("RabbitMQ", "cloud-rabbitmq", "see the logs", claim("data-cloud-rabbitmq-0", "delete pvc/data-cloud-rabbitmq-0"),
			claim("data-cloud-galera-0", "delete pvc/data-cloud-galera-0")),
		of("Memcached", "cloud-memcached", "look at it", of("Pod", "cloud-memcached-0", "")))
	var one, all bytes.Buffer
	(&app{out: &one}).showWhy(f, false)
	kittest.Golden(t, "testdata/why-one.txt", one.String())
	(&app{out: &all}).showWhy(f, true)
	kittest.Golden(t, "testdata/why-all.txt", all.String())
}
