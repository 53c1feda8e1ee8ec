package nova_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

const novaObject = "Nova/cloud/nova"

func play(t *testing.T, s kittest.Scenario, f func(*kittest.Play)) {
	t.Helper()
	kittest.New(t, s).Run(t, f)
}

// status is what Nova tells of its cells.
func status(p *kittest.Play) string {
	list, _, _ := unstructured.NestedSlice(p.Object(novaObject).Object, "status", "cells")
	return strings.ReplaceAll(fmt.Sprint(list), "map", "")
}

// job returns the command of the Job whose name begins so; empty when there is none.
func job(p *kittest.Play, name string) string {
	for _, u := range p.Objects() {
		if u.GetKind() == "Job" && strings.HasPrefix(u.GetName(), name+"-") {
			containers, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
			if c, ok := containers[0].(map[string]any); ok {
				return fmt.Sprint(c["command"])
			}
		}
	}
	return ""
}

// rolled is by which cells the pods of Nova have started.
func rolled(p *kittest.Play) string {
	var out string
	for _, ref := range []string{"Deployment/cloud/nova-api", "Deployment/cloud/nova-scheduler",
		"Deployment/cloud/nova-conductor"} {
		a, _, _ := unstructured.NestedString(p.Object(ref).Object, "spec", "template", "metadata", "annotations",
			"service.stackwright.dev/cells")
		out += a + " "
	}
	return out
}

func TestACellThatBreaksIsItsOwnAffair(t *testing.T) {
	s := scenario(t, "")
	play(t, s, func(p *kittest.Play) {
		p.Ready()
		if got := status(p); got != "[[name:cell1 ready:true registered:true]]" {
			t.Errorf("the cells are %s", got)
		}
		p.Behave("NovaCell", kittest.Told("False", "DatabaseAway", "its database is away"))
		p.Change(novaCell1, "metadata.labels", map[string]any{"touched": "yes"})
		p.Settle()
		p.Ready()
		if got := status(p); got != "[[name:cell1 registered:true]]" {
			t.Errorf("the cells are %s", got)
		}
	})
}

// A new cell is registered when it has its database and its bus; until then Nova goes on with the others. Then Nova's
// programs start anew, as they remember the cells from when they started.
func TestANewCellIsRegistered(t *testing.T) {
	play(t, scenario(t, ""), func(p *kittest.Play) {
		p.Ready()
		before := rolled(p)
		p.Change(novaObject, "spec.cells", []any{map[string]any{"name": "cell1"}, map[string]any{"name": "late"}})
		p.Settle()
		p.Ready()
		if got := status(p); got != "[[name:cell1 ready:true registered:true] [name:late ready:true]]" {
			t.Errorf("the cells are %s", got)
		}
		if rolled(p) != before {
			t.Error("Nova's programs start anew for a cell that is not there")
		}
		secret(p, "nova-late-db", map[string]string{"connection": "mysql+pymysql://late:hidden@far/late?charset=utf8mb4"})
		secret(p, "nova-late-bus", map[string]string{"transport_url": "rabbit://late:hidden@far/late"})
		p.Settle()
		p.Ready()
		if got := status(p); !strings.Contains(got, "name:late ready:true registered:true") {
			t.Errorf("the cells are %s", got)
		}
		file := servicetest.Secret(p, "nova-cells")["cells.json"]
		if !strings.Contains(file, `"rabbit://late:hidden@far/late"`) {
			t.Errorf("the addresses are %s", file)
		}
		if rolled(p) == before {
			t.Error("Nova's programs do not know of the new cell")
		}
		if command := job(p, "nova-map-cells"); strings.Contains(command, "hidden") {
			t.Errorf("the Job shows a password: %s", command)
		}
	})
}

// A cell may have a database and a bus of another authority than Nova's own. All are in what Nova's programs have
// mounted, that of a cell which is taken out for as long as Nova still has to talk with it.
func TestCellsHaveAuthoritiesOfTheirOwn(t *testing.T) {
	far, err := pki.NewCA("far", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s := scenario(t, "")
	full := true
	fullCell(s, &full, "cell far has 2 hosts, such as host-1", "nova-forget-")
	play(t, s, func(p *kittest.Play) {
		p.Ready()
		known := func(when string, want int) {
			t.Helper()
			for _, name := range []string{"nova-database-authorities", "nova-bus-authorities"} {
				got := servicetest.Secret(p, name)["ca.crt"]
				if n := strings.Count(got, string(far.Cert)); n != want {
					t.Errorf("%s %s has the authority %d times, want %d", when, name, n, want)
				}
			}
		}
		known("before", 0)
		p.Change(novaObject, "spec.cells", []any{map[string]any{"name": "cell1"}, map[string]any{"name": "far"}})
		secret(p, "nova-far-db", map[string]string{"ca.crt": string(far.Cert),
			"connection": "mysql+pymysql://far:hidden@far/far?charset=utf8mb4"})
		secret(p, "nova-far-bus", map[string]string{"ca.crt": string(far.Cert),
			"transport_url": "rabbit://far:hidden@far/far"})
		p.Settle()
		p.Ready()
		known("with the cell", 1)
		for _, ref := range []string{"Deployment/cloud/nova-api", "Deployment/cloud/nova-scheduler",
			"Deployment/cloud/nova-conductor"} {
			volumes, _, _ := unstructured.NestedSlice(p.Object(ref).Object, "spec", "template", "spec", "volumes")
			if all := fmt.Sprint(volumes); strings.Count(all, "-authorities") != 2 {
				t.Errorf("%s has the volumes %s", ref, all)
			}
		}
		p.Change(novaObject, "spec.cells", []any{map[string]any{"name": "cell1"}})
		p.Settle()
		known("with its hosts left", 1)
		full = false
		p.Pass(10 * time.Minute)
		p.Settle()
		p.Ready()
		known("without the cell", 0)
	})
}

// How Nova reaches cell0 is in its database, password and all: whatever changes there a Job notes anew. The schema of a
// database that was dropped is made again.
func TestCellZeroIsNotedAgain(t *testing.T) {
	play(t, scenario(t, ""), func(p *kittest.Play) {
		p.Ready()
		const own, sync, api = "Secret/cloud/nova-cell0-db", "jobs/nova-db-sync-HASH", "deployments/nova-api"
		for _, c := range []struct {
			what   string
			change func()
			want   []string
		}{
			{"without TLS", func() { p.Change(own, `data.ca\.crt`, nil) }, []string{api, sync}},
			{"with another password", func() {
				p.Change(own, "data.connection", base64.StdEncoding.EncodeToString(
					[]byte("mysql+pymysql://nova_cell0:new@db.cloud.svc:3306/nova_cell0?charset=utf8mb4")))
			}, []string{api, sync}},
			{"made again", func() { p.Remove("Database/cloud/nova-cell0") }, []string{sync}},
		} {
			got := slices.DeleteFunc(servicetest.Writes(p, c.change), func(w string) bool {
				return !strings.HasPrefix(w, "jobs/") && w != api
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("for a cell0 %s it wrote %v, want %v", c.what, got, c.want)
			}
			p.Ready()
		}
	})
}

func secret(p *kittest.Play, name string, content map[string]string) {
	data := map[string]any{}
	for k, v := range content {
		data[k] = base64.StdEncoding.EncodeToString([]byte(v))
	}
	p.Create(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name, "namespace": "cloud"}, "data": data,
	}})
}

// fullCell lets a Job that removes cells fail as long as full says so.
func fullCell(s kittest.Scenario, full *bool, why, job string) {
	s.Children["Job"] = func(p *kittest.Play, u *unstructured.Unstructured) map[string]any {
		if *full && strings.HasPrefix(u.GetName(), job) {
			return kittest.Fail(why)(p, u)
		}
		return kittest.Ready(p, u)
	}
}

// named are the cells of a spec.
func named(names ...string) []any {
	var out []any
	for _, n := range names {
		out = append(out, map[string]any{"name": n})
	}
	return out
}

// A cell that may not go stays as it is, and keeps nobody from anything: others come, and change.
func TestACellWithHostsHoldsNoOtherUp(t *testing.T) {
	s := scenario(t, "spec: {cells: [{name: cell1}, {name: far, conductor: {replicas: 3}}]}")
	full := true
	fullCell(s, &full, "cell far has 2 hosts, such as host-1", "nova-forget-")
	play(t, s, func(p *kittest.Play) {
		p.Ready()
		const far = "NovaCell/cloud/nova-far"
		spec := p.Object(far).Object["spec"]
		p.Change(novaObject, "spec.cells", named("cell1", "cell3"))
		p.Settle()
		if p.Object("NovaCell/cloud/nova-cell3") == nil {
			t.Error("a new cell waits for the one that does not go")
		}
		p.Change(novaObject, "spec.image", "images.example.org/nova:next")
		p.Settle()
		if image, _, _ := unstructured.NestedString(p.Object(novaCell1).Object, "spec", "image"); !strings.HasSuffix(image,
			":next") {
			t.Errorf("cell1 has the image %s", image)
		}
		if p.Object(far) == nil {
			t.Fatal("the cell is gone although it has hosts")
		}
		if diff := cmp.Diff(spec, p.Object(far).Object["spec"]); diff != "" {
			t.Errorf("the cell that does not go has changed: %s", diff)
		}
		if c := p.Condition(novaObject, "CellRemovalReady"); !strings.Contains(c.Message, "far has 2 hosts") {
			t.Errorf("the condition is %s: %s", c.Reason, c.Message)
		}
		full = false
		p.Pass(10 * time.Minute)
		p.Settle()
		p.Ready()
		if p.Object(far) != nil || strings.Contains(status(p), "far") {
			t.Errorf("the cell is there: %t; the cells are %s", p.Object(far) != nil, status(p))
		}
	})
}

// A cell that is taken out is there until Nova has forgotten it, which it does not as long as the cell has hosts. Only
// then do Nova's programs start anew: those that start before remember it.
func TestACellIsForgottenBeforeItGoes(t *testing.T) {
	s := scenario(t, "")
	full := true
	fullCell(s, &full, "cell cell1 has 2 hosts, such as host-1", "nova-forget-")
	play(t, s, func(p *kittest.Play) {
		p.Ready()
		one := []any{map[string]any{"name": "cell1"}}
		before := rolled(p)
		p.Change(novaObject, "spec.cells", nil)
		p.Settle()
		if rolled(p) != before {
			t.Error("Nova's programs start anew while the cell is there")
		}
		if c := p.Condition(novaObject, "CellRemovalReady"); !strings.Contains(c.Message, "cell1 has 2 hosts") {
			t.Errorf("the condition is %s: %s", c.Reason, c.Message)
		}
		if p.Object(novaCell1) == nil {
			t.Error("the cell is gone although it has hosts")
		}
		if got := job(p, "nova-forget"); !strings.HasSuffix(got, "forget cell1]") {
			t.Errorf("the command is %s", got)
		}
		p.Change(novaObject, "spec.cells", one)
		p.Settle()
		p.Ready()
		if rolled(p) != before {
			t.Error("Nova's programs start anew for a cell that has come back")
		}
		p.Change(novaObject, "spec.cells", nil)
		p.Settle()
		full = false
		p.Pass(10 * time.Minute)
		p.Settle()
		p.Ready()
		if p.Object(novaCell1) != nil || status(p) != "[]" {
			t.Errorf("the cell is there: %t; the cells are %s", p.Object(novaCell1) != nil, status(p))
		}
		if rolled(p) == before {
			t.Error("Nova's programs have the forgotten cell in mind")
		}
	})
}

// Over a database that was kept, cells that the Nova before had and this one has not are forgotten; a new one has none.
// One that has hosts keeps nobody from running.
func TestCellsOfAnEarlierNovaAreForgotten(t *testing.T) {
	s := scenario(t, "")
	full := true
	fullCell(s, &full, "cell far has 2 hosts, such as host-1", "nova-prune-cells-")
	play(t, s, func(p *kittest.Play) {
		p.Ready()
		if got := job(p, "nova-prune-cells"); got != "" {
			t.Errorf("over a new database there runs %s", got)
		}
		again := p.Object(novaObject).DeepCopy()
		p.Remove(novaObject)
		p.Settle()
		p.Pass(time.Minute)
		again.Object = map[string]any{"apiVersion": again.GetAPIVersion(), "kind": again.GetKind(),
			"metadata": map[string]any{"name": again.GetName(), "namespace": again.GetNamespace()}, "spec": again.Object["spec"]}
		servicetest.Must(t, p.Client.Create(p.T.Context(), again))
		p.Settle()
		if got := job(p, "nova-prune-cells"); !strings.HasSuffix(got, "Z cell1]") ||
			!strings.Contains(got, "prune --before 20") {
			t.Errorf("over a database that was kept there runs %q", got)
		}
		if c := p.Condition(novaObject, "CellRemovalReady"); !strings.Contains(c.Message, "far has 2 hosts") {
			t.Errorf("the condition is %s: %s", c.Reason, c.Message)
		}
		if p.Object(schedulerSet) == nil || p.Object(novaCell1) == nil {
			t.Error("others wait for the cell")
		}
		full = false
		p.Pass(10 * time.Minute)
		p.Settle()
		p.Ready()
	})
}

// All pods of a program have one row, so that fewer of them leave none behind.
func TestPodsShareARow(t *testing.T) {
	play(t, scenario(t, "spec: {scheduler: {replicas: 3}}"), func(p *kittest.Play) {
		p.Ready()
		before := servicetest.Jobs(p)
		p.Change(novaObject, "spec.scheduler.replicas", int64(1))
		p.Settle()
		p.Ready()
		if now := servicetest.Jobs(p); !slices.Equal(now, before) {
			t.Errorf("with two pods gone there are the Jobs %v, and before there were %v", now, before)
		}
		for _, worker := range []string{"nova-scheduler", "nova-conductor"} {
			d := p.Object("Deployment/cloud/" + worker)
			if d == nil || !strings.Contains(fmt.Sprint(d.Object), "map[name:OS_DEFAULT__HOST value:"+worker+"]") {
				t.Errorf("%s is no Deployment whose pods all have its name", worker)
			}
		}
	})
}

// Earlier operators made StatefulSets, whose pods had rows of their own: both go.
func TestStatefulSetsOfEarlierOperatorsGo(t *testing.T) {
	play(t, scenario(t, ""), func(p *kittest.Play) {
		p.Ready()
		told := p.Object(novaObject)
		servicetest.Must(t, unstructured.SetNestedField(told.Object, "earlier", "status", "programs", "hash"))
		servicetest.Must(t, p.Client.Status().Update(p.T.Context(), told))
		old := p.Object(schedulerSet)
		old.SetKind("StatefulSet")
		old.SetResourceVersion("")
		old.SetUID("")
		old.SetManagedFields(nil)
		unstructured.RemoveNestedField(old.Object, "status")
		unstructured.RemoveNestedField(old.Object, "spec", "strategy")
		p.Create(old)
		p.Restart()
		p.Settle()
		p.Ready()
		if p.Object("StatefulSet/cloud/nova-scheduler") != nil {
			t.Error("the StatefulSet is still there")
		}
		want := "services nova-scheduler=nova-scheduler nova-conductor=nova-conductor]"
		if got := job(p, "nova-services"); !strings.HasSuffix(got, want) {
			t.Errorf("the command is %s\nwant %s at its end", got, want)
		}
	})
}
