//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
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

// orchestrated are stacks and the dashboard.
func orchestrated(s *controlplanev1.Services) {
	s.Heat, s.Horizon = &controlplanev1.HeatService{}, &controlplanev1.HorizonService{}
}

// Networks, servers, volumes, stacks and the dashboard are disabled while there are some of each, and enabled again.
// They know then what they knew, the server has gone on, and it can be led again. What is deleted leaves the databases
// when it is old.
func TestServicesComeBack(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := stored(w, orchestrated)
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

	f.disable(cp)
	w.Eventually(10*time.Second, "the server answers ping without them", answersPing(w))
	f.enable(cp)
	t.Logf("hosts are ready after %s more", w.Ready(3*time.Minute, rack))
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
	f.cleaned("nova", "nova_cell1.instances")
	f.cleaned("cinder", "cinder.volumes")
	f.cleaned("heat", "heat.stack")
}

// disable leaves of a control plane that is stored what images need.
func (f fleet) disable(cp *controlplanev1.OpenStackControlPlane) {
	f.Helper()
	less := f.Change(cp)
	less.Spec.Services.Placement = &controlplanev1.PlacementService{}
	less.Spec.Services.Glance = &controlplanev1.GlanceService{
		Stores: []servicev1.ImageStore{{Name: "ceph", RBD: inPool("glance", "images")}}}
	began := time.Now()
	f.Apply(less)
	for name, o := range map[string]client.Object{"neutron": &servicev1.Neutron{}, "nova": &servicev1.Nova{},
		"cinder": &servicev1.Cinder{}, "heat": &servicev1.Heat{}, "horizon": &servicev1.Horizon{}} {
		o.SetNamespace(f.namespace)
		o.SetName("openstack-" + name)
		f.Gone(3*time.Minute, o)
		unlisted(f.World, name)
	}
	f.Ready(time.Minute, cp)
	f.Logf("five services are gone after %s", time.Since(began).Round(time.Second))
}

// enable takes them up again.
func (f fleet) enable(cp *controlplanev1.OpenStackControlPlane) {
	f.Helper()
	again := f.Change(cp)
	core(&again.Spec.Services)
	onCeph(&again.Spec.Services)
	orchestrated(&again.Spec.Services)
	f.Apply(again)
	horizon := &servicev1.Horizon{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: "openstack-horizon"}}
	f.Eventually(time.Minute, "they are made again", func(ctx context.Context) error {
		return f.Get(ctx, f.Key(horizon), horizon)
	})
	f.Logf("they are ready again after %s", f.Ready(story.UpToReady, cp))
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

// cleaned makes the records of what was deleted old, has a service clean its database as it does every night, and looks
// that they are gone.
func (f fleet) cleaned(service, table string) {
	f.Helper()
	sql := func(statement string) string { f.Helper(); return inDatabase(f.World, f.namespace, statement) }
	count := "SELECT COUNT(*) FROM openstack_" + table + " WHERE deleted_at IS NOT NULL"
	before := sql(count)
	if before == "0" {
		f.Errorf("%s has no record of what was deleted", table)
	}
	sql("UPDATE openstack_" + table + " SET deleted_at = deleted_at - INTERVAL 40 DAY WHERE deleted_at IS NOT NULL")
	runsNow(f.World, f.namespace, "openstack-"+service+"-maintenance")
	if after := sql(count); after != "0" {
		f.Errorf("of %s records in %s are left %s", before, table, after)
	} else {
		f.Logf("%s records are gone from %s", before, table)
	}
}

// inDatabase is what MariaDB answers to a statement, without headings.
func inDatabase(w *story.World, namespace, statement string) string {
	w.Helper()
	out, err := w.Cluster.Kubectl(w.Context(), "-n", namespace, "exec", "openstack-galera-0", "--", "mariadb", "--batch",
		"--skip-column-names", "--execute="+statement)
	if err != nil {
		w.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// runsNow has a Job done that a CronJob would make when its time comes.
func runsNow(w *story.World, namespace, cronJob string) {
	w.Helper()
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "now-" + cronJob}}
	if _, err := w.Cluster.Kubectl(w.Context(), "-n", namespace, "create", "job", job.Name,
		"--from=cronjob/"+cronJob); err != nil {
		w.Fatal(err)
	}
	w.Ready(2*time.Minute, job)
	if err := w.Delete(w.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		w.Error(err)
	}
}
