package kinds_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/openstack/bus"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

var placeholder = regexp.MustCompile(`\{([a-zA-Z_][\w:.-]*)(: null)?\}`)

// special are the placeholders that are no fields.
var special = []string{"id", "value", "added", "removed"}

func TestKindsFitTogether(t *testing.T) {
	all, known := kinds.All(), map[string]*d.Kind{}
	for _, k := range all {
		if known[k.Name] != nil {
			t.Errorf("there are two kinds %s", k.Name)
		}
		known[k.Name] = k
	}
	if len(all) < 70 {
		t.Errorf("there are %d kinds", len(all))
	}
	var hooks []string
	for _, k := range all {
		for _, problem := range problems(k, known) {
			t.Errorf("%s: %s", k.Name, problem)
		}
		if k.Hook != "" {
			hooks = append(hooks, k.Name)
		}
	}
	if len(hooks) > 12 {
		t.Errorf("%d kinds have hooks, at most 12: %s", len(hooks), hooks)
	}
	t.Logf("%d kinds, %d with hooks: %s", len(all), len(hooks), strings.Join(hooks, " "))
}

// problems lists what is wrong with a kind.
func problems(k *d.Kind, known map[string]*d.Kind) []string {
	list := slices.Concat(fieldProblems(k, k.Fields, known), nameProblems(k), bodyProblems(k), surveyProblems(k))
	for _, f := range k.Fields {
		if to := known[f.Ref]; f.Usable && (to == nil || len(to.State.Pending) == 0) {
			list = append(list, fmt.Sprintf("%s waits until a %s is usable, which has no states before that", f.API, f.Ref))
		}
	}
	for state, action := range k.State.Answer {
		if _, ok := k.Action(action); !ok {
			list = append(list, fmt.Sprintf("no action %s, the answer to %s", action, state))
		}
	}
	if name := k.State.Release; name != "" {
		if _, ok := k.Action(name); !ok || k.State.Leaving.Path == "" {
			list = append(list, fmt.Sprintf("no action %s, or no sign after which it is sent", name))
		}
	}
	for _, a := range k.Awaits {
		if a.Says == "" || a.What == "" || a.Until == "" || strings.HasSuffix(a.Until, ".") {
			list = append(list, "a refusal that does not tell what is awaited: "+a.Says)
		}
	}
	if k.Shape == d.Resource && !k.ReadOnly && k.Marker.Channel == "" {
		list = append(list, "no marker")
	}
	if k.Shape == d.Relation && k.Create.Path == "" && len(k.Paths) == 0 {
		list = append(list, "nothing that says how it is made")
	}
	return list
}

// nameProblems lists names of fields in keys, groups, paths and bodies that are no fields.
func nameProblems(k *d.Kind) []string {
	var list []string
	for _, api := range slices.Concat(append(slices.Concat(k.OneOf, k.AtMostOne), k.Key)...) {
		if !has(k, api) {
			list = append(list, "no field "+api+", which a key or group has")
		}
	}
	for _, text := range texts(k) {
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(special, m[1]) && !has(k, m[1]) {
				list = append(list, "no field "+m[1]+", which "+text+" has")
			}
		}
	}
	return list
}

func surveyProblems(k *d.Kind) []string {
	s := k.List.Survey
	if s.Path != "" && (s.Items == "" || s.Parent == "" || k.List.Path+k.List.Changes != "" ||
		len(placeholder.FindAllString(k.Path, -1)) != 1) {
		return []string{"a survey that does not say of what, or of a list that is not of one parent"}
	}
	return nil
}

func bodyProblems(k *d.Kind) []string {
	var list []string
	for _, body := range bodies(k) {
		if body != "" && !json.Valid([]byte(placeholder.ReplaceAllString(body, "0"))) {
			list = append(list, "not JSON: "+body)
		}
	}
	return list
}

func fieldProblems(k *d.Kind, fields []d.Field, known map[string]*d.Kind) []string {
	var list, specs []string
	for _, f := range fields {
		list = append(list, referenceProblems(f, fields, known)...)
		if _, ok := k.Action(f.Via); f.Via != "" && !ok {
			list = append(list, f.API+" has no action "+f.Via)
		}
		if f.Const == nil && f.Doc == "" {
			list = append(list, f.API+" has no doc")
		}
		if f.Const == nil && slices.Contains(specs, f.Spec()) {
			list = append(list, "two fields "+f.Spec())
		}
		specs = append(specs, f.Spec())
		list = append(list, fieldProblems(k, f.Fields, known)...)
	}
	return list
}

func referenceProblems(f d.Field, beside []d.Field, known map[string]*d.Kind) []string {
	var list []string
	for _, kind := range append(values(f.Refs), f.Ref) {
		if kind != "" && known[kind] == nil {
			list = append(list, f.API+" refers to no kind: "+kind)
		}
	}
	if f.RefBy != "" && !slices.ContainsFunc(beside, func(o d.Field) bool { return o.API == f.RefBy }) {
		list = append(list, f.API+" depends on no field: "+f.RefBy)
	}
	return list
}

func TestFieldsCanBeChangedOrAreCreateOnly(t *testing.T) {
	for _, k := range kinds.All() {
		for _, f := range k.Fields {
			fixed := f.CreateOnly || f.Const != nil || f.Output || k.ReadOnly
			if !fixed && f.Via == "" && k.Update.Method == "" {
				t.Errorf("%s: %s cannot be changed, and is not create-only", k.Name, f.API)
			}
		}
	}
}

func values(m map[string]string) []string {
	var list []string
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// has tells whether a field, or an entry of a flat one, has that API name.
func has(k *d.Kind, api string) bool {
	for _, f := range k.Fields {
		if f.API == api || f.Flat && slices.ContainsFunc(f.Fields, func(o d.Field) bool { return o.API == api }) {
			return true
		}
	}
	return false
}

// texts are the paths and bodies in which placeholders stand.
func texts(k *d.Kind) []string {
	list := append([]string{k.Path, k.Create.Path, k.Delete.Path, k.List.Path}, k.Paths...)
	for _, a := range k.Actions {
		list = append(list, a.Path)
		if a.Remove != nil {
			list = append(list, a.Remove.Path)
		}
	}
	return append(list, bodies(k)...)
}

func bodies(k *d.Kind) []string {
	list := []string{k.Create.Body, k.Delete.Body}
	for _, a := range k.Actions {
		list = append(list, a.Body)
		list = append(list, values(a.Bodies)...)
		if a.Remove != nil {
			list = append(list, a.Remove.Body)
		}
	}
	return list
}

func TestSpecNamesAreKubernetesNames(t *testing.T) {
	fine := regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	for _, k := range kinds.All() {
		for _, f := range k.Fields {
			if name := f.Spec(); f.Const == nil && (!fine.MatchString(name) || strings.HasSuffix(name, "RefRef")) {
				t.Errorf("%s has a field named %s", k.Name, name)
			}
		}
	}
}

// What services call their notifications, as their own code has it.
func TestNotificationsReachTheirKinds(t *testing.T) {
	for event, want := range map[string]string{
		"flavor.update":                    "Flavor FlavorAccess",
		"identity.role_assignment.created": "RoleAssignment",
		"image.member.create":              "Image ImageMember",
		"instance.interface_attach.end":    "Server ServerInterface",
		"qos_specs.associate":              "VolumeQoS",
		"router.interface.delete":          "Router RouterInterface",
		"volume_type.update":               "VolumeType",
		"volume_type_extra_specs.delete":   "VolumeType",
		"volume_type_project.access-add":   "VolumeTypeAccess",
	} {
		var hear []string
		bus.Event{Type: event}.Prefixes(func(prefix string) bool {
			for _, k := range kinds.All() {
				if slices.Contains(k.Events, prefix) {
					hear = append(hear, k.Name)
				}
			}
			return true
		})
		slices.Sort(hear)
		if got := strings.Join(hear, " "); got != want {
			t.Errorf("%s is heard by %q, want %q", event, got, want)
		}
	}
}
