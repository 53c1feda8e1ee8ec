//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/test/e2e/story"
)

// changed are fields of kinds.yaml and server.yaml that a person changes, in the form Kind/name: resource.
var changed = map[string]string{
	"Backup/plain": "description: Kept", "Snapshot/plain": "description: Kept", "Volume/plain": "size: 2",
	"VolumeType/fast":             "description: Very fast disks",
	"VolumeQoS/fast":              `specs: {total_iops_sec: "9000", read_iops_sec: null}`,
	"VolumeQuota/shop":            "volumes: 5",
	"ServerVolumeAttachment/data": "deleteOnTermination: true",
	"Server/web":                  "description: Answers",
	"Flavor/large":                `extraSpecs: {"hw:cpu_policy": null, "hw:mem_page_size": small}`,
	"HostAggregate/fast":          "metadata: {speed: highest}", "ComputeQuota/shop": "cores: 5",
	"Image/shown": "tags: [kept]",
}

// Each kind of the compute, block storage, image and placement services does on the real ones, while a server answers,
// what it does on the fake cloud: it is made, in no order, is changed by its object, is there once after the operator
// was killed, is what is declared again when somebody changed it meanwhile, and goes without a rest. TestServersConform
// plays more with them.
func TestEachKindIsServed(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	_, remove := server(stored(w, backedUp), withVolumes)
	objects := ofServices(w, "guest."+w.Namespace+".svc")
	all := append(manifest(w, "testdata/server.yaml"), objects...)
	for _, service := range computing {
		everyKind(w, all, service)
	}
	ready := func(ctx context.Context) error { return allDone(ctx, w, all) }

	// A guest that finds two interfaces on one network when it boots may take the wrong one.
	w.Eventually(2*time.Minute, "the server answers ping", answersPing(w))
	for _, o := range objects {
		w.Apply(o.DeepCopy())
	}
	w.Eventually(2*time.Minute, "everything is ready", ready)
	ids := identities(w, all)

	changeAll(w, all)
	w.Eventually(time.Minute, "all changes are made", ready)
	asDeclared := asDeclared(w)
	w.Eventually(time.Minute, "OpenStack shows them", asDeclared)

	w.OpenStack("volume", "type", "set", "--description", "Slow disks", "fast")
	w.OpenStack("quota", "set", "--cores", "1", "--volumes", "1", "shop")
	w.OpenStack("aggregate", "set", "--property", "speed=low", "fast")
	w.OpenStack("flavor", "unset", "--property", "hw:mem_page_size", "large")
	w.MustCrash(operators, "stackwright-operator")
	w.Eventually(2*time.Minute, "what somebody else changed is as declared", asDeclared)
	w.Eventually(time.Minute, "everything is ready", ready)
	if diff := sameLines(ids, identities(w, all)); diff != nil {
		t.Errorf("after the operator was killed objects stand for something else: %v", diff)
	}
	onceEach(w)
	w.Eventually(time.Minute, "the server answers ping", answersPing(w))

	removeAll(w, objects)
	remove()
	left := w.OpenStack(strings.Fields("volume type list -f value -c Name")...) +
		w.OpenStack(strings.Fields("aggregate list -f value -c Name")...) +
		w.OpenStack(strings.Fields("trait list -f value --name in:CUSTOM_FAST")...) +
		w.OpenStack(strings.Fields("resource class list -f value")...)
	if strings.Contains(left, "fast") || strings.Contains(left, "FAST") || strings.Contains(left, "CARD") {
		t.Errorf("there is left %s", left)
	}
	t.Logf("%d kinds pass", len(kindsOf(all, computing...)))
}

// changeAll changes objects as changed has it.
func changeAll(w *story.World, all []*unstructured.Unstructured) {
	w.Helper()
	for name, resource := range changed {
		change(w, all, name, resource)
	}
}

// change gives one of objects, which name has in the form Kind/name, other fields of its resource.
func change(w *story.World, objects []*unstructured.Unstructured, name, resource string) {
	w.Helper()
	kind, name, _ := strings.Cut(name, "/")
	i := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == kind && o.GetName() == name
	})
	if i < 0 {
		w.Fatalf("there is no %s %s in the story", kind, name)
	}
	patch := client.RawPatch(types.MergePatchType, asJSON(w, "{spec: {resource: {"+resource+"}}}"))
	if err := w.Patch(w.Context(), objects[i].DeepCopy(), patch); err != nil {
		w.Fatalf("changing %s %s: %v", kind, name, err)
	}
}

// onceEach checks that what objects stand for is there once.
func onceEach(w *story.World) {
	w.Helper()
	for list, name := range map[string]string{"volume": "plain", "volume type": "fast", "volume snapshot": "plain",
		"volume backup": "plain", "server group": "apart", "aggregate": "fast", "image": "shown", "flavor": "large"} {
		command := append(strings.Fields(list), "list", "-f", "value", "-c", "Name")
		if list == "flavor" {
			command = append(command, "--all")
		}
		if n := slices.Compact(strings.Fields(w.OpenStack(command...))); !once(n, name) {
			w.Errorf("of %s %s there is not one: %v", list, name, n)
		}
	}
}

// once tells whether a name is there exactly once.
func once(names []string, name string) bool {
	n := 0
	for _, have := range names {
		if have == name {
			n++
		}
	}
	return n == 1
}

// shown are what OpenStack prints of what was changed, with the commands.
const shown = `
	volume type show fast -f value -c description               # Very fast disks
	volume qos show fast -f value -c properties                 # 9000
	volume snapshot show plain -f value -c description          # Kept
	volume backup show plain -f value -c description            # Kept
	volume show plain -f value -c size                          # 2
	aggregate show fast -f value -c properties                  # highest
	flavor show large -f value -c properties                    # hw:mem_page_size
	server show web -f value -c description                     # Answers
	image show shown -f value -c tags                           # kept
	quota show shop -f value -c Resource -c Limit               # cores 5
	quota show shop -f value -c Resource -c Limit               # volumes 5`

// asDeclared checks what OpenStack shows of what was changed.
func asDeclared(w *story.World) func(context.Context) error {
	return func(ctx context.Context) error {
		for line := range strings.SplitSeq(strings.TrimSpace(shown), "\n") {
			command, want, _ := strings.Cut(line, "#")
			if err := w.Prints(strings.TrimSpace(want), strings.Fields(command)...)(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}

// allDone checks that all objects are ready as they are declared now.
func allDone(ctx context.Context, w *story.World, objects []*unstructured.Unstructured) error {
	if err := allReady(ctx, w, objects); err != nil {
		return err
	}
	for _, o := range objects {
		now := o.DeepCopy()
		if err := w.Get(ctx, w.Key(o), now); err != nil {
			return err
		}
		seen, found, _ := unstructured.NestedInt64(now.Object, "status", "observedGeneration")
		if found && seen != now.GetGeneration() {
			return fmt.Errorf("%s %s is at %d of %d", o.GetKind(), o.GetName(), seen, now.GetGeneration())
		}
	}
	return nil
}

// identities are what objects stand for.
func identities(w *story.World, objects []*unstructured.Unstructured) []string {
	w.Helper()
	var out []string
	for _, o := range objects {
		now := o.DeepCopy()
		if err := w.Get(w.Context(), w.Key(o), now); err != nil {
			w.Fatal(err)
		}
		id, _, _ := unstructured.NestedString(now.Object, "status", "id")
		out = append(out, o.GetKind()+"/"+o.GetName()+" "+id)
	}
	return out
}

// kindsOf are the kinds of services among objects.
func kindsOf(objects []*unstructured.Unstructured, services ...string) []string {
	var out []string
	for _, k := range kinds.Served() {
		has := func(o *unstructured.Unstructured) bool { return o.GetKind() == k.Name }
		if slices.Contains(services, k.Service) && slices.ContainsFunc(objects, has) {
			out = append(out, k.Name)
		}
	}
	return out
}

// asJSON is YAML in JSON.
func asJSON(w *story.World, text string) []byte {
	w.Helper()
	out, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		w.Fatal(err)
	}
	return out
}
