package kinds

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// maxLines of a descriptor; less is better.
const maxLines = 40

var literal = regexp.MustCompile(`(?ms)^var (\w+) = d\.Kind{$.*?^}$`)

func TestDescriptorsAreShort(t *testing.T) {
	lines := map[string]int{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllSubmatch(content, -1) {
			name := string(m[1])
			lines[name] = bytes.Count(m[0], []byte("\n")) + 1
			if lines[name] > maxLines {
				t.Errorf("%s has %d lines, at most %d", name, lines[name], maxLines)
			}
			if file != strings.ToLower(name)+".go" {
				t.Errorf("%s is in %s rather than in a file of its own", name, file)
			}
		}
	}
	for _, k := range All() {
		if lines[k.Name] == 0 {
			t.Errorf("%s is not a literal in a variable of its name", k.Name)
		}
	}
	if n := len(All()); n != len(lines) {
		t.Errorf("there are %d descriptors and %d kinds; add each one to All", len(lines), n)
	}
	sorted := slices.Sorted(maps.Values(lines))
	t.Logf("%d kinds, the median has %d lines, the longest %d", len(sorted), sorted[len(sorted)/2], sorted[len(sorted)-1])
}

func TestNamesAreUnique(t *testing.T) {
	taken := map[string]string{}
	for _, k := range All() {
		for _, name := range append([]string{"kind " + k.Name, "plural " + k.Plural}, k.Short...) {
			if other, ok := taken[name]; ok {
				t.Errorf("%s and %s have one %s", k.Name, other, name)
			}
			taken[name] = k.Name
		}
	}
}

var (
	plural      = regexp.MustCompile(`^[a-z0-9]+$`)
	placeholder = regexp.MustCompile(`{([a-z0-9_]+)}`)
)

func TestKindsAreWellFormed(t *testing.T) {
	all := All()
	for _, k := range all {
		t.Run(k.Name, func(t *testing.T) {
			if !plural.MatchString(k.Plural) || k.Plural == strings.ToLower(k.Name) {
				t.Errorf("the plural %q is not a plural in lower case", k.Plural)
			}
			for what, text := range map[string]string{"Service": k.Service, "Path": k.Path, "Sample": k.Sample} {
				if text == "" {
					t.Errorf("%s is empty", what)
				}
			}
			if !strings.HasPrefix(k.Doc, k.Name+" ") || !strings.HasSuffix(k.Doc, ".") {
				t.Errorf("Doc %q is not a sentence about %s", k.Doc, k.Name)
			}
			checkFields(t, all, k.Name, k.Fields)
			checkNames(t, k)
			checkMarker(t, k)
		})
	}
}

// checkFields looks at fields, and at those in them.
func checkFields(t *testing.T, all []*d.Kind, above string, fields []d.Field) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range fields {
		name := above + "." + f.Spec()
		if f.Const != nil {
			continue
		}
		if seen[f.Spec()] {
			t.Errorf("two fields are %s", name)
		}
		seen[f.Spec()] = true
		if f.Doc == "" || !strings.HasSuffix(strings.TrimRight(f.Doc, `}"`), ".") {
			t.Errorf("%s: Doc %q is not a sentence", name, f.Doc)
		}
		for _, ref := range append(slices.Collect(maps.Values(f.Refs)), f.Ref) {
			if ref != "" && !slices.ContainsFunc(all, func(k *d.Kind) bool { return k.Name == ref }) {
				t.Errorf("%s refers to kind %s, which does not exist", name, ref)
			}
		}
		if _, err := regexp.Compile(f.Pattern); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if f.Max != 0 && f.Max < f.Min {
			t.Errorf("%s is at least %d and at most %d", name, f.Min, f.Max)
		}
		if nested := f.Type == d.Object || f.Type == d.Objects; nested != (len(f.Fields) > 0) {
			t.Errorf("%s has type %q and %d fields", name, f.Type, len(f.Fields))
		}
		if i := slices.IndexFunc(f.Fields, func(f d.Field) bool { return f.CreateOnly }); i >= 0 && f.Type == d.Objects {
			t.Errorf("%s: entries of a list have no identity, so that the API server cannot keep %s constant; make the list create-only",
				name, f.Fields[i].API)
		}
		checkFields(t, all, name, f.Fields)
	}
}

// checkNames wants each API name to be that of a field.
func checkNames(t *testing.T, k *d.Kind) {
	t.Helper()
	names := map[string][]string{"Key": k.Key, "List.Filters": k.List.Filters, "OneOf": slices.Concat(k.OneOf...),
		"AtMostOne": slices.Concat(k.AtMostOne...)}
	for _, path := range append(slices.Clone(k.Paths), k.Path) {
		for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
			names[path] = append(names[path], m[1])
		}
	}
	known := map[string]bool{k.IDField(): true, k.State.Path: true}
	for _, f := range k.Fields {
		known[f.API] = true
		for _, inner := range f.Fields {
			known[inner.API] = known[inner.API] || f.Flat
		}
	}
	for where, list := range names {
		for _, api := range list {
			if !known[api] {
				t.Errorf("%s names %s, which is no field", where, api)
			}
		}
	}
	for _, group := range slices.Concat(k.OneOf, k.AtMostOne) {
		if len(group) < 2 {
			t.Errorf("OneOf or AtMostOne %v leaves no choice", group)
		}
		for _, api := range group {
			if f, _ := k.Field(api); f.Required {
				t.Errorf("OneOf or AtMostOne %v has %s, which is required", group, api)
			}
		}
	}
}

// checkMarker wants what the shape of a kind needs.
func checkMarker(t *testing.T, k *d.Kind) {
	t.Helper()
	channel := k.Marker.Channel
	switch {
	case k.Shape != d.Resource && channel != "":
		t.Errorf("a %s is known by its fields and needs no marker", k.Shape)
	case k.Shape == d.Resource && channel == "" && !k.ReadOnly:
		t.Error("nothing says how a resource is known to be ours; set Marker")
	case (channel == d.MarkByMetadata || channel == d.MarkByExtra) && k.Marker.Field == "":
		t.Errorf("the marker %s is in no field; set Marker.Field", channel)
	case (channel == d.MarkByKey || k.Shape != d.Resource) && len(k.Key) == 0:
		t.Error("it is known by its key, and has none")
	case k.Shape == d.Relation && len(k.Paths) == 0 && (k.Create.Path == "" || k.Delete.Path == ""):
		t.Error("a relation is a path; set Paths, or Create.Path and Delete.Path")
	}
	for _, f := range k.Fields {
		if k.Update.Method == "" && !k.ReadOnly && f.Via == "" && f.Const == nil && !f.CreateOnly {
			t.Errorf("%s cannot be updated, but field %s is not create-only", k.Name, f.API)
		}
	}
}
