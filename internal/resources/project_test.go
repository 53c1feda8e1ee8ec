package resources_test

import (
	"fmt"
	"strings"
	"testing"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// strangers is a project other than that of the credentials.
const strangers = "33333333333333333333333333333333"

// Resources of other projects are seen when spec.allProjects of the Cloud says so, and not otherwise, where the service
// has a switch for that. Whoever looks for one by its name depends on lists; Designate hides single resources, too.
func TestAllProjects(t *testing.T) {
	for _, k := range writable() {
		if k.List.AllProjects == "" || k.Shape == d.Singleton {
			continue
		}
		for _, all := range []bool{false, true} {
			t.Run(fmt.Sprint(k.Name, "/", all), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, k)
				w.everywhere = all
				w.stranger()
				kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
					c := p.Condition(k.Name+"/sample", "Ready")
					if seen := c.Status == "True"; seen != all {
						t.Errorf("with allProjects %t it is %s %s", all, c.Reason, c.Message)
					}
				})
			})
		}
	}
}

// stranger has the object stand for a resource of another project, without changing it.
func (w *world) stranger() {
	by := map[string]any{"filter": map[string]any{"name": "theirs"}}
	if strings.Contains(w.kind.List.AllProjects, ": ") {
		by = map[string]any{"id": w.foreign("theirs")}
	}
	for _, id := range []string{"ours", "theirs"} {
		fields := map[string]any{"id": id, "name": id, "stack_name": id, "project_id": fake.Project}
		if id == "theirs" {
			fields["project_id"] = strangers
		}
		w.seeds = append(w.seeds, func(c *fake.Cloud) { c.Put(w.kind.Name, fields) })
	}
	w.spec()["policy"], w.spec()["import"] = "observe", by
}
