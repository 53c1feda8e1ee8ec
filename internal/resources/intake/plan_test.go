package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// shelf is a cloud that shows fixed lists, by path.
type shelf map[string]string

func (s shelf) Do(_ context.Context, r openstack.Request) (*openstack.Response, error) {
	list, ok := s[r.Path]
	switch {
	case list == "forbidden":
		return nil, &openstack.Fault{Class: openstack.Auth, Code: http.StatusForbidden, Message: "You may not."}
	case !ok:
		list = "[]"
	}
	name := r.Path[strings.LastIndex(r.Path, "/")+1:]
	return r.Hand(&openstack.Response{Code: http.StatusOK, Body: fmt.Appendf(nil, "{%q: %s}", name, list)}), nil
}

func (s shelf) ProjectID() string  { return "own-project" }
func (s shelf) UserID() string     { return "own-user" }
func (s shelf) Services() []string { return []string{"identity"} }

func (s shelf) Microversions(context.Context, string) (lowest, highest string, err error) {
	return "", "", nil
}

// The kinds of the tests: projects, and two kinds that refer to each other and to parts of each other.
func testKinds() []*d.Kind {
	project := &d.Kind{Name: "Project", Plural: "projects", Service: "identity", Path: "/projects", Items: "projects",
		Key: []string{"name"}, Marker: d.Marker{Channel: d.MarkByTag, Field: "tags"},
		Fields: []d.Field{{API: "name", Named: true}, {API: "parent_id", Ref: "Project"}, {API: "tags", Type: d.Strings},
			{API: "default_id", Ref: "Limit"}, {API: "home", Ref: "Region", By: "url"}}}
	limit := &d.Kind{Name: "Limit", Plural: "limits", Service: "identity", Path: "/limits", Items: "limits",
		Key: []string{"project_id", "what"}, Marker: d.Marker{Channel: d.MarkByKey},
		Fields: []d.Field{{API: "project_id", Ref: "Project", Required: true}, {API: "what"}}}
	region := &d.Kind{Name: "Region", Plural: "regions", Service: "identity", Path: "/regions", Items: "regions",
		Key: []string{"name"}, Fields: []d.Field{{API: "name", Named: true}, {API: "url"}}}
	part := &d.Kind{Name: "Group", Plural: "groups", Service: "identity", Path: "/regions/{region_id}/groups",
		Items: "groups", Key: []string{"name"}, Fields: []d.Field{{API: "name", Named: true},
			{API: "region_id", Ref: "Region", Required: true, CreateOnly: true}}}
	server := &d.Kind{Name: "Server", Plural: "servers", Service: "compute", Path: "/servers", Items: "servers"}
	return []*d.Kind{project, limit, region, part, server}
}

func plan(t *testing.T, cloud shelf, project string, change func(*Request)) (*Plan, error) {
	t.Helper()
	want := Request{Kinds: testKinds(), Namespace: "shop", Policy: "observe",
		Cloud: openstackv1.CloudReference{Kind: "Cloud", Name: "north"}}
	if change != nil {
		change(&want)
	}
	return New(t.Context(), resources.NewCensus(t.Context(), testKinds(), cloud, resources.Scope{Project: project}),
		NewCluster(Objects{Kinds: testKinds()}), want)
}

const noCompute = "compute 0 the cloud has no such service, and so none of Server"

// told is a plan in lines.
func told(p *Plan) []string {
	var out []string
	for _, o := range p.Objects {
		spec, _ := o.Object["spec"].(map[string]any)
		raw, err := json.Marshal(spec["resource"])
		if err != nil {
			panic(err)
		}
		out = append(out, o.GetKind()+"/"+o.GetName()+" "+string(raw))
	}
	for _, o := range p.Omissions {
		out = append(out, fmt.Sprintf("%s %d %s", o.Kind, o.Count, o.Reason))
	}
	return out
}

// plans are what clouds come to.
var plans = map[string]struct {
	cloud   shelf
	project string
	change  func(*Request)
	want    []string
}{
	"names and references": {
		cloud: shelf{"/projects": `[{"id": "1", "name": "Web Shop"}, {"id": "2", "name": "a", "parent_id": "1"},
				{"id": "3", "name": "b", "parent_id": "else"}]`},
		want: []string{`Project/web-shop {"name":"Web Shop"}`, `Project/a {"name":"a","parentRef":{"name":"web-shop"}}`,
			`Project/b {"name":"b","parentRef":{"id":"else"}}`}},
	"a circle is broken by an id": {
		cloud: shelf{"/projects": `[{"id": "1", "name": "a", "default_id": "9"}]`,
			"/limits": `[{"id": "9", "project_id": "1", "what": "ports"}]`},
		want: []string{`Project/a {"defaultRef":{"name":"a-ports"},"name":"a"}`,
			`Limit/a-ports {"projectRef":{"id":"1"},"what":"ports"}`}},
	"itself": {cloud: shelf{"/projects": `[{"id": "1", "name": "a", "parent_id": "1"}]`},
		want: []string{`Project/a {"name":"a","parentRef":{"id":"1"}}`}},
	"references by an address": {
		cloud: shelf{"/projects": `[{"id": "1", "name": "a", "home": "http://x/r"},
				{"id": "2", "name": "b", "home": "http://x/s"}]`, "/regions": `[{"id": "r", "name": "r", "url": "http://x/r"}]`},
		want: []string{`Project/a {"homeRef":{"name":"r"},"name":"a"}`, `Project/b {"homeRef":{"id":"s"},"name":"b"}`,
			`Region/r {"name":"r","url":"http://x/r"}`}},
	"a project and what is its": {project: "1",
		cloud: shelf{"/projects": `[{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]`,
			"/limits":  `[{"id": "8", "project_id": "1", "what": "x"}, {"id": "9", "project_id": "2", "what": "y"}]`,
			"/regions": `[{"id": "r", "name": "r"}]`},
		want: []string{`Project/a {"name":"a"}`, `Limit/a-x {"projectRef":{"name":"a"},"what":"x"}`}},
	"parts of others": {
		cloud: shelf{"/regions": `[{"id": "r", "name": "r"}, {"id": "s", "name": "s"}]`,
			"/regions/r/groups": `[{"id": "1", "name": "g"}]`, "/regions/s/groups": "forbidden"},
		want: []string{`Region/r {"name":"r"}`, `Region/s {"name":"s"}`,
			`Group/g {"name":"g","regionRef":{"name":"r"}}`,
			`Group 1 the cloud does not let these credentials look into all places`}},
	"a kind that may not be read": {
		cloud: shelf{"/projects": "forbidden", "/regions": `[{"id": "r", "name": "r"}]`},
		want:  []string{`Region/r {"name":"r"}`, `Project 0 listing projects: You may not.`}},
	"a filter": {change: func(r *Request) { r.Filter = map[string]string{"parentID": "1", "tags": "x"} },
		cloud: shelf{"/projects": `[{"id": "2", "name": "a", "parent_id": "1", "tags": ["x", "y"]},
				{"id": "3", "name": "b", "parent_id": "1", "tags": []}, {"id": "4", "name": "c", "tags": ["x"]}]`,
			"/regions": `[{"id": "r", "name": "r"}]`},
		want: []string{`Project/a {"name":"a","parentRef":{"id":"1"},"tags":["x","y"]}`}},
	"the marker is no tag": {
		cloud: shelf{"/projects": `[{"id": "1", "name": "a", "tags": ["x", "stackwright_owner=other"]}]`},
		want:  []string{`Project/a {"name":"a","tags":["x"]}`}},
	"what is somebody's is not managed": {change: func(r *Request) { r.Policy = "managed" },
		cloud: shelf{"/projects": `[{"id": "1", "name": "a", "tags": ["stackwright_owner=other"]}]`},
		want: []string{"Project 1 it carries the marker of an object that this cluster does not have, so that it can be " +
			"observed only", noCompute}},
}

func TestPlan(t *testing.T) {
	for name, c := range plans {
		t.Run(name, func(t *testing.T) {
			p, err := plan(t, c.cloud, c.project, c.change)
			if err != nil {
				t.Fatal(err)
			}
			if c.change == nil {
				c.want = append(c.want, noCompute)
			}
			if diff := cmp.Diff(c.want, told(p)); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		cloud  shelf
		change func(*Request)
		want   string
	}{
		"a kind that was asked for": {shelf{"/projects": "forbidden"}, func(r *Request) { r.Asked = true }, "You may not"},
		"a filter that nothing fits": {shelf{}, func(r *Request) { r.Filter = map[string]string{"colour": "red"} },
			"the fields are defaultID, homeID, id, name, parentID, projectID, regionID, tags, url, what"},
		"what is no list": {shelf{"/projects": "{}"}, nil, "has no list projects"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := plan(t, c.cloud, "", c.change); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}

// Names are valid, one for each resource, and the same in any order.
func TestNames(t *testing.T) {
	labels := []string{"Web Shop", "web-shop", "日本", "日本", "a", "taken", strings.Repeat("x", 300), "-.-", "A.b_C/d",
		strings.Repeat("y", 51) + "-z", strings.Repeat("y", 51) + "-zz"}
	names := func(order []int) map[int]string {
		n := newNamer("Project", []string{"taken"})
		for _, i := range order {
			n.hope(labels[i])
		}
		out := map[int]string{}
		for _, i := range order {
			out[i] = n.name(labels[i], fmt.Sprint(i))
		}
		return out
	}
	var order []int
	for i := range labels {
		order = append(order, i)
	}
	got := names(order)
	used := map[string]bool{"taken": true}
	for i, name := range got {
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 || used[name] {
			t.Errorf("%q becomes %q: used before: %t, %v", labels[i], name, used[name], problems)
		}
		used[name] = true
	}
	if got[4] != "a" || got[8] != "a-b-c-d" {
		t.Errorf("the names are %v", got)
	}
	slices.Reverse(order)
	if diff := cmp.Diff(got, names(order)); diff != "" {
		t.Errorf("another order gives other names:\n%s", diff)
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"Web Shop", "", "é", "a--b", strings.Repeat("-a", 80)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, label string) {
		s := slug(label)
		if problems := validation.IsDNS1123Label(s); s != "" && len(problems) > 0 || len(s) > maxName {
			t.Errorf("%q becomes %q: %v", label, s, problems)
		}
	})
}
