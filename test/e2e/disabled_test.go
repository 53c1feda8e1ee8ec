//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// word is a stack that has a word of its own, and a network.
const word = `
heat_template_version: 2021-04-16
resources:
  word: {type: OS::Heat::RandomString, properties: {length: 12}}
  network: {type: OS::Neutron::Net, properties: {name: of-the-stack}}
outputs:
  word: {value: {get_attr: [word, value]}}
`

// Networks, servers, volumes, stacks and the dashboard are disabled while there are some of each, and enabled again.
// They know then what they knew, objects stand for what they stood for, the server has gone on, and it can be led again.
func TestServicesComeBack(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	more := func(s *controlplanev1.Services) {
		s.Heat, s.Horizon = &controlplanev1.HeatService{}, &controlplanev1.HorizonService{}
	}
	f := stored(w, more)
	cp := w.Cloud()
	rack, remove := server(f)
	if _, err := inClient(t.Context(), w, f.namespace, "sh", "-c", "echo '"+word+"' > /tmp/word.yaml"); err != nil {
		t.Fatal(err)
	}
	w.OpenStack("stack", "create", "--wait", "--template", "/tmp/word.yaml", "made")
	w.OpenStack("volume", "create", "--size", "1", "kept")
	w.Eventually(time.Minute, "the volume is there", w.Prints("available", "volume", "show", "kept"))
	w.Eventually(2*time.Minute, "the server answers ping", answersPing(w))
	known := f.remembers(t.Context())

	less := w.Change(cp)
	less.Spec.Services.Glance = &controlplanev1.GlanceService{
		Stores: []servicev1.ImageStore{{Name: "ceph", RBD: inPool("glance", "images")}}}
	less.Spec.Services.Placement = &controlplanev1.PlacementService{}
	began := time.Now()
	w.Apply(less)
	for name, o := range map[string]client.Object{"neutron": &servicev1.Neutron{}, "nova": &servicev1.Nova{},
		"cinder": &servicev1.Cinder{}, "heat": &servicev1.Heat{}, "horizon": &servicev1.Horizon{}} {
		o.SetNamespace(f.namespace)
		o.SetName("openstack-" + name)
		w.Gone(3*time.Minute, o)
		unlisted(w, name)
	}
	w.Ready(time.Minute, cp)
	t.Logf("five services are gone after %s", time.Since(began).Round(time.Second))
	w.Eventually(10*time.Second, "the server answers ping without them", answersPing(w))

	again := w.Change(cp)
	core(&again.Spec.Services)
	onCeph(&again.Spec.Services)
	more(&again.Spec.Services)
	w.Apply(again)
	w.Eventually(time.Minute, "they are made again", func(ctx context.Context) error {
		horizon := &servicev1.Horizon{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: "openstack-horizon"}}
		return w.Get(ctx, w.Key(horizon), horizon)
	})
	t.Logf("they are ready again after %s, and hosts after %s more", w.Ready(story.UpToReady, cp),
		w.Ready(3*time.Minute, rack))
	w.Eventually(2*time.Minute, "they know what they knew", func(ctx context.Context) error {
		if now := f.remembers(ctx); now != known {
			return fmt.Errorf("they knew\n%s\nand know\n%s", known, now)
		}
		return nil
	})
	w.Eventually(time.Minute, "the server answers ping with them", answersPing(w))
	w.OpenStack("server", "reboot", "--hard", "--wait", "web")
	w.Eventually(2*time.Minute, "the server answers ping after a new start", answersPing(w))
	w.OpenStack("volume", "set", "--size", "2", "kept")
	w.Eventually(time.Minute, "the volume grows", w.Prints("2", "volume", "show", "-f", "value", "-c", "size", "kept"))
	w.OpenStack("volume", "delete", "kept")
	w.OpenStack("stack", "delete", "--yes", "--wait", "made")
	remove()
}

// remembers is what services keep in their databases, as the client prints it; what it says when it is refused, too.
func (f fleet) remembers(ctx context.Context) string {
	f.Helper()
	out, err := inClient(ctx, f.World, f.namespace, "sh", "-ec", `
		openstack network list; openstack port list; openstack floating ip list; openstack security group rule list
		openstack server list --all-projects; openstack flavor list; openstack keypair list; openstack hypervisor list
		openstack availability zone list --compute; openstack volume list --all-projects; openstack volume type list
		openstack stack list; openstack stack output show made word`)
	if err != nil {
		return out + err.Error()
	}
	return out
}
