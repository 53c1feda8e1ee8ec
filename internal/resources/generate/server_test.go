//go:build apiserver

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/crd"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/charts"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/resources/sample"
)

var live client.Client

func TestMain(m *testing.M) {
	cfg, stop, err := kittest.DevCluster()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := runtime.NewScheme()
	if err = apiextensionsv1.AddToScheme(s); err == nil {
		if live, err = client.New(cfg, client.Options{Scheme: s}); err == nil {
			err = install(live)
		}
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	stop()
	os.Exit(code)
}

func install(c client.Client) error {
	folder, err := fs.Sub(charts.Operator, "stackwright-operator/crds")
	if err != nil {
		return err
	}
	all, err := crd.Read(folder)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c *apiextensionsv1.CustomResourceDefinition) bool { return c.Spec.Group != group })
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	begin := time.Now()
	if err := crd.Ensure(ctx, c, "test", all...); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d definitions were served after %.1f s\n", len(all), time.Since(begin).Seconds())
	return nil
}

func object(k *d.Kind, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetAPIVersion(group + "/v1alpha1")
	u.SetKind(k.Name)
	u.SetNamespace("default")
	u.SetGenerateName("x-")
	return u
}

func declared(k *d.Kind, resource map[string]any) *unstructured.Unstructured {
	return object(k, map[string]any{"resource": runtime.DeepCopyJSON(resource)})
}

func TestServerTakesSamples(t *testing.T) {
	for _, k := range kinds.Served() {
		resource, err := sample.Declared(k)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := live.Create(t.Context(), declared(k, resource)); err != nil {
			t.Error(err)
		}
	}
}

func TestServerWantsResourceOrImport(t *testing.T) {
	for _, k := range kinds.Served() {
		if err := live.Create(t.Context(), object(k, map[string]any{})); !apierrors.IsInvalid(err) {
			t.Errorf("an empty %s: %v", k.Name, err)
		}
		names, _ := parents(k)
		lost := k.Shape != d.Resource || len(names) > 0
		u := object(k, map[string]any{"policy": "observe", "import": map[string]any{"id": "4d1a"}})
		if err := live.Create(t.Context(), u); (err != nil) != lost {
			t.Errorf("an imported %s, for which that is too little (%t): %v", k.Name, lost, err)
		}
	}
}

func TestServerKeepsTheCloud(t *testing.T) {
	k := kinds.Served()[0]
	resource, err := sample.Declared(k)
	if err != nil {
		t.Fatal(err)
	}
	u := declared(k, resource)
	if err := live.Create(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	u.Object["spec"].(map[string]any)["cloudRef"] = map[string]any{"name": "north"}
	if err := live.Update(t.Context(), u); err == nil || !strings.Contains(err.Error(), "cloudRef cannot be added") {
		t.Errorf("the answer is %v", err)
	}
}

// Of fields that exclude each other the API server takes one, and says which when there are two, or none where one is
// needed.
func TestServerKeepsUnions(t *testing.T) {
	for _, k := range kinds.Served() {
		for i, group := range slices.Concat(k.OneOf, k.AtMostOne) {
			needed := i < len(k.OneOf)
			names := specNames(k, group)
			full, err := sample.Full(k)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				delete(full, name)
			}
			all := strings.Join(names, ", ")
			wants(t, k, full, "none of "+all, needed, "set exactly one of "+all)
			for n := range names[1:] {
				pair := names[n : n+2]
				wants(t, k, with(k, full, pair), "both "+strings.Join(pair, " and "), true, "one of "+all)
			}
		}
	}
}

// with adds fields to what is declared.
func with(k *d.Kind, declared map[string]any, names []string) map[string]any {
	out := runtime.DeepCopyJSON(declared)
	for _, f := range k.Fields {
		if slices.Contains(names, f.Spec()) {
			out[f.Spec()], _ = sample.Value(f, 0)
		}
	}
	return out
}

// wants tells whether the API server refuses what is declared, and with which words.
func wants(t *testing.T, k *d.Kind, resource map[string]any, what string, refused bool, says string) {
	t.Helper()
	err := live.Create(t.Context(), declared(k, resource), client.DryRunAll)
	switch {
	case !refused && err != nil:
		t.Errorf("%s with %s is refused: %v", k.Name, what, err)
	case refused && !apierrors.IsInvalid(err):
		t.Errorf("%s with %s is not refused: %v", k.Name, what, err)
	case refused && !strings.Contains(err.Error(), says):
		t.Errorf("%s with %s is refused without saying %q: %v", k.Name, what, says, err)
	}
}

// A reference or object that OpenStack lets people empty can be none, which stands alone; others cannot.
func TestServerTakesNone(t *testing.T) {
	n := 0
	for _, k := range kinds.Served() {
		full, err := sample.Full(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range leaves(k.Fields, nil) {
			last := path[len(path)-1]
			if single := last.IsRef() && last.Type == d.String; at(full, path) == nil || !single && !last.Nullable {
				continue
			}
			n++
			name := shown(path)
			change := func(v any) map[string]any {
				out := runtime.DeepCopyJSON(full)
				set(out, path, v)
				return out
			}
			wants(t, k, change(map[string]any{d.NoneWord: true}), name+" that is none", !last.Nullable, "spec.resource")
			if !last.Nullable {
				continue
			}
			both, _ := sample.Value(last, 0)
			both.(map[string]any)[d.NoneWord] = true
			wants(t, k, change(both), name+" that is none and more", true, "none")
			wants(t, k, change(map[string]any{d.NoneWord: false}), name+" that is not none", true, `supported values: "true"`)
		}
	}
	t.Logf("%d fields", n)
}

// Values beyond the limits of their fields are refused: too large, too small, too long, none of the words, or of
// another form.
func TestServerKeepsLimits(t *testing.T) {
	n := 0
	for _, k := range kinds.Served() {
		full, err := sample.Full(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range k.Fields {
			for what, v := range beyond(f) {
				n++
				changed := runtime.DeepCopyJSON(full)
				others, _ := rivals(k, f)
				for _, other := range others {
					delete(changed, other.Spec())
				}
				changed[f.Spec()] = v
				wants(t, k, changed, f.Spec()+" that is "+what, true, "spec.resource."+f.Spec())
			}
		}
	}
	t.Logf("%d values beyond limits were refused", n)
}

// beyond are values that a field does not take, by what is wrong with them.
func beyond(f d.Field) map[string]any {
	out := map[string]any{}
	switch {
	case f.Const != nil || f.IsRef():
	case f.Type == d.Int:
		if f.Max > 0 {
			out["too large"] = f.Max + 1
		}
		if f.HasMin {
			out["too small"] = f.Min - 1
		}
	case f.Type == d.String && len(f.Enum) > 0:
		out["none of the words"] = "neither"
	case f.Type == d.String:
		if f.Max > 0 {
			out["too long"] = strings.Repeat("a", int(f.Max)+1)
		}
		for _, v := range []string{"a b", "a,b", "a/b", "ä", "!", "\n"} {
			if fits, err := regexp.MatchString(f.Pattern, v); err == nil && !fits {
				out["of another form"] = v
			}
		}
	}
	return out
}

// Every field is changed, added and removed. The API server refuses that of create-only fields, and takes it of others.
func TestServerKeepsCreateOnlyFields(t *testing.T) {
	var refused, taken atomic.Int64
	t.Cleanup(func() { t.Logf("%d changes were refused, %d taken", refused.Load(), taken.Load()) })
	for _, k := range kinds.Served() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			full, err := sample.Full(k)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range leaves(k.Fields, nil) {
				for _, c := range changes(k, full, path) {
					c.play(t, k)
					if c.constant {
						refused.Add(1)
					} else {
						taken.Add(1)
					}
				}
			}
		})
	}
}

// leaves are the paths of all fields but those in lists, which change as a whole.
func leaves(fields []d.Field, above []d.Field) [][]d.Field {
	var list [][]d.Field
	for _, f := range fields {
		if f.Const != nil {
			continue
		}
		path := append(slices.Clone(above), f)
		list = append(list, path)
		if f.Type == d.Object {
			list = append(list, leaves(f.Fields, path)...)
		}
	}
	return list
}

// change is an update of spec.resource.
type change struct {
	name     string
	from, to map[string]any
	constant bool
	// silent tells that the schema refuses the change before the rule is asked.
	silent bool
	says   string
}

// changes are those that can be made of one field.
func changes(k *d.Kind, full map[string]any, path []d.Field) []change {
	last := path[len(path)-1]
	constant := slices.ContainsFunc(slices.Concat(path, last.Fields), func(f d.Field) bool { return f.CreateOnly })
	with := runtime.DeepCopyJSON(full)
	others, needed := rivals(k, path[0])
	for _, other := range others {
		delete(with, other.Spec())
	}
	for i := range path {
		if at(with, path[:i+1]) == nil {
			v, _ := sample.Value(path[i], 0)
			set(with, path[:i+1], v)
		}
	}
	without := runtime.DeepCopyJSON(with)
	set(without, path, nil)
	swaps := needed && len(path) == 1
	if swaps {
		v, _ := sample.Value(others[0], 0)
		without[others[0].Spec()] = v
	}
	swaps = swaps && others[0].CreateOnly
	says := "cannot be changed after creation"
	stays := last.Required || k.ReadOnly && last.Named
	list := []change{{"removal of " + shown(path), with, without, constant || swaps || stays, stays, says}}
	if !stays {
		list = append(list, change{"addition of " + shown(path), without, with, constant || swaps, false, says})
	}
	for n := range 3 {
		v, ok := sample.Value(last, n)
		if ok && !reflect.DeepEqual(at(with, path), v) {
			changed := runtime.DeepCopyJSON(with)
			set(changed, path, v)
			return append(list, change{"change of " + shown(path), with, changed, constant, false, says})
		}
	}
	return list
}

// rivals are the fields that exclude a field, and whether one of them must be there.
func rivals(k *d.Kind, f d.Field) ([]d.Field, bool) {
	var list []d.Field
	needed := false
	for i, names := range slices.Concat(k.OneOf, k.AtMostOne) {
		if !slices.Contains(names, f.API) {
			continue
		}
		needed = needed || i < len(k.OneOf)
		for _, api := range names {
			if other, ok := k.Field(api); ok && api != f.API {
				list = append(list, other)
			}
		}
	}
	return list, needed
}

func (c change) play(t *testing.T, k *d.Kind) {
	t.Helper()
	u := declared(k, c.from)
	if err := live.Create(t.Context(), u); err != nil {
		t.Errorf("%s: creating what is there before: %v", c.name, err)
		return
	}
	u.Object["spec"].(map[string]any)["resource"] = runtime.DeepCopyJSON(c.to)
	err := live.Update(t.Context(), u, client.DryRunAll)
	switch {
	case !c.constant && err != nil:
		t.Errorf("%s: refused: %v", c.name, err)
	case c.constant && !apierrors.IsInvalid(err):
		t.Errorf("%s: not refused: %v", c.name, err)
	case c.constant && !c.silent && !strings.Contains(err.Error(), c.says):
		t.Errorf("%s: refused without saying why: %v", c.name, err)
	}
}

// at is the value at a path, nil when there is none.
func at(resource map[string]any, path []d.Field) any {
	var v any = resource
	for _, f := range path {
		m, _ := v.(map[string]any)
		v = m[f.Spec()]
	}
	return v
}

// set writes the value at a path, or removes it. What is above is there.
func set(resource map[string]any, path []d.Field, v any) {
	for _, f := range path[:len(path)-1] {
		resource, _ = resource[f.Spec()].(map[string]any)
	}
	last := path[len(path)-1].Spec()
	if v == nil {
		delete(resource, last)
		return
	}
	resource[last] = v
}
