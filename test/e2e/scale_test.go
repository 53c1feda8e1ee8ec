//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// All APIs die, and hang, at once: nobody is led to them for long. Then everything of which there can be two gets a
// second one and gives it back, all at once, under a loop of requests. What a service knows of its own programs is then
// those that run, and no others, and work is done as before.
func TestComponentsScale(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := stored(w, func(s *controlplanev1.Services) { each(s, 1) })
	cp := w.Cloud()
	_, remove := server(f)
	f.passedBy()
	work := append(manifest(w, "testdata/work.yaml"), decoded(w, backupOfWork)...)

	w.Eventually(2*time.Minute, "services know the programs that run", f.known)
	// With a second cache in everybody's configuration all pods are new, at once, and more than a hundred processes want
	// to run on two processors. Answers come late then; a client waits for a minute. Some come all the time.
	probe := asked(w, cp, 30*time.Second)
	for _, n := range []int32{2, 1} {
		change := w.Change(cp)
		core(&change.Spec.Services)
		onCeph(&change.Spec.Services)
		each(&change.Spec.Services, n)
		began := time.Now()
		w.Apply(change)
		w.Eventually(2*story.UpToReady, fmt.Sprintf("there are %d of each", n), func(ctx context.Context) error {
			return f.count(ctx, int(n))
		})
		w.Ready(2*time.Minute, cp)
		t.Logf("with %d of each everything is ready after %s", n, time.Since(began).Round(time.Second))
		w.Eventually(stuck, "services know the programs that run and no others", f.known)
		for _, o := range work {
			w.Apply(o.DeepCopy())
		}
		w.Eventually(3*time.Minute, "work is done", func(ctx context.Context) error { return allReady(ctx, w, work) })
		removeAll(w, work)
	}
	w.Eventually(2*time.Minute, "the server answers ping", answersPing(w))
	remove()
	if got := probe.Stop(); got.Failed > 0 || got.Longest > 10*time.Second {
		t.Errorf("%s, last: %v; none may fail, and a gap may be 10 s", got, got.Last)
	} else {
		t.Log(got)
	}
}

// backupOfWork is a copy of the volume of work.yaml.
const backupOfWork = `{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Backup, metadata: {name: work},
spec: {resource: {volumeRef: {name: work}}}}`

// each says how many there shall be of everything of which there can be more than one.
func each(s *controlplanev1.Services, n int32) {
	worker := servicev1.Worker{Replicas: new(n)}
	s.Memcached = &controlplanev1.MemcachedService{Replicas: new(n)}
	s.OVN = &controlplanev1.OVNService{Northd: &infrav1.OVNNorthd{Replicas: n}}
	s.Keystone = &controlplanev1.KeystoneService{}
	s.Heat = &controlplanev1.HeatService{Engine: worker, CFN: servicev1.SecondAPI{Worker: worker}}
	s.Barbican = &controlplanev1.BarbicanService{Worker: worker}
	s.Horizon = &controlplanev1.HorizonService{}
	s.Horizon.Replicas = new(n)
	s.Neutron.RPC, s.Neutron.Periodic, s.Neutron.Maintenance = worker, worker, worker
	s.Nova.Scheduler, s.Nova.Conductor = worker, worker
	cell := servicev1.CellSettings{Conductor: worker, Console: worker}
	s.Nova.Cells = []servicev1.Cell{{Name: "cell1", Metadata: worker, CellSettings: cell}}
	backedUp(s)
	s.Cinder.Scheduler, s.Cinder.Backup.Replicas = worker, new(n)
	for _, api := range []*controlplanev1.API{&s.Keystone.API, &s.Glance.API, &s.Placement.API, &s.Neutron.API,
		&s.Nova.API, &s.Cinder.API, &s.Heat.API, &s.Barbican.API} {
		api.Replicas = new(n)
	}
}

// single are those that each leaves alone: databases, a program that has a back end to itself, the one that asks the
// stores of images whether they answer, and the client.
var single = []string{"galera", "rabbitmq", "ovn-nb", "ovn-sb", "cinder-volume-rbd", "glance-store-health", "client"}

// programs are the names of a control plane's pods by what they belong to, such as nova-scheduler, without Jobs.
func (f fleet) programs(ctx context.Context) (map[string][]string, error) {
	list := &corev1.PodList{}
	if err := f.List(ctx, list, client.InNamespace(f.namespace)); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for i := range list.Items {
		owners, name := list.Items[i].OwnerReferences, list.Items[i].Name
		if len(owners) == 0 || owners[0].Kind == "Job" {
			continue
		}
		of, ours := strings.CutPrefix(owners[0].Name, "openstack-")
		if owners[0].Kind == "ReplicaSet" {
			of = of[:strings.LastIndex(of, "-")]
		}
		if ours && !slices.Contains(single, of) {
			out[of] = append(out[of], name)
		}
	}
	return out, nil
}

// count checks that there are n of each.
func (f fleet) count(ctx context.Context, n int) error {
	all, err := f.programs(ctx)
	for of, pods := range all {
		if len(pods) != n {
			err = errors.Join(err, fmt.Errorf("of %s there are %v, want %d", of, pods, n))
		}
	}
	return err
}

// known checks that the services which list their programs list those that run, each once, as up.
func (f fleet) known(ctx context.Context) error {
	all, err := f.programs(ctx)
	if err != nil {
		return err
	}
	for service, of := range map[string][]string{
		"compute":       {"nova-scheduler", "nova-conductor", "nova-cell1-conductor"},
		"volume":        {"cinder-scheduler", "cinder-backup"},
		"orchestration": {"heat-engine"},
	} {
		host, state := "Host", "State"
		if service == "orchestration" {
			host, state = "Hostname", "Status"
		}
		out, err := f.Cluster.Stackwright(ctx, "openstack", service, "service", "list", "-f", "value", "-c", host, "-c",
			state)
		if err != nil {
			return err
		}
		var want []string
		for _, name := range of {
			if service == "compute" { // all pods of a program go by its name
				all[name] = []string{"openstack-" + name}
			}
			for _, pod := range all[name] {
				want = append(want, pod+" up")
			}
		}
		slices.Sort(want)
		got := slices.DeleteFunc(linesOf(out), func(line string) bool {
			// Hosts of guests and back ends have names of their own.
			return !strings.HasPrefix(line, "openstack-") || strings.Contains(line, "@")
		})
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Errorf("the %s service lists %v, and there are %v", service, got, want)
		}
	}
	return f.linked(ctx)
}

// linked checks that Neutron lists agents of the only host and of no other, each once, and all of them alive.
func (f fleet) linked(ctx context.Context) error {
	out, err := f.Cluster.Stackwright(ctx, "openstack", "network", "agent", "list", "-f", "value", "-c", "Host", "-c",
		"Alive", "-c", "Binary")
	if err != nil {
		return err
	}
	agents := linesOf(out)
	slices.Sort(agents)
	bad := func(line string) bool { return !strings.HasPrefix(line, realHost+" True ") }
	if len(agents) == 0 || slices.ContainsFunc(agents, bad) || len(slices.Compact(slices.Clone(agents))) < len(agents) {
		return fmt.Errorf("of agents of %s, each alive and there once, Neutron lists %q", realHost, agents)
	}
	return nil
}

// linesOf are the lines of what a command prints.
func linesOf(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
