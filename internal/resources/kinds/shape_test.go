package kinds_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
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
	for _, k := range kinds.All() {
		if lines[k.Name] == 0 {
			t.Errorf("%s is not a literal in a variable of its name", k.Name)
		}
	}
	if n := len(kinds.All()); n != len(lines) {
		t.Errorf("there are %d descriptors and %d kinds; add each one to All", len(lines), n)
	}
	names := slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		return cmp.Or(lines[b]-lines[a], strings.Compare(a, b))
	})
	var longest []string
	for _, name := range names[:min(5, len(names))] {
		longest = append(longest, fmt.Sprint(name, " ", lines[name]))
	}
	t.Logf("%d kinds, the median has %d lines, the longest are %s", len(names), lines[names[len(names)/2]],
		strings.Join(longest, ", "))
}

func TestNamesAreUnique(t *testing.T) {
	taken := map[string]string{}
	for _, k := range kinds.All() {
		for _, name := range append([]string{"kind " + k.Name, "plural " + k.Plural}, k.Short...) {
			if other, ok := taken[name]; ok {
				t.Errorf("%s and %s have one %s", k.Name, other, name)
			}
			taken[name] = k.Name
		}
	}
}

func TestKindsAreWellFormed(t *testing.T) {
	plural := regexp.MustCompile(`^[a-z0-9]+$`)
	for _, k := range kinds.All() {
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
			checkFields(t, k.Name, k.Fields)
			checkGroups(t, k)
			checkMarker(t, k)
		})
	}
}

// checkFields looks at the bounds of fields, and of those in them.
func checkFields(t *testing.T, above string, fields []d.Field) {
	t.Helper()
	for _, f := range fields {
		if f.Const != nil {
			continue
		}
		name := above + "." + f.Spec()
		if !strings.HasSuffix(strings.TrimRight(f.Doc, `}"`), ".") {
			t.Errorf("%s: Doc %q is not a sentence", name, f.Doc)
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
		checkNullable(t, name, f)
		if i := slices.IndexFunc(f.Fields, func(f d.Field) bool { return f.CreateOnly }); i >= 0 && f.Type == d.Objects {
			t.Errorf("%s: entries of a list have no identity, so that the API server cannot keep %s constant; "+
				"make the list create-only", name, f.Fields[i].API)
		}
		checkFields(t, name, f.Fields)
	}
}

// checkNullable wants none to be said of single things that may be left out, and to be told from what is half declared.
func checkNullable(t *testing.T, name string, f d.Field) {
	t.Helper()
	switch {
	case !f.Nullable:
	case f.Required || f.CreateOnly || f.Default != nil || f.Own:
		t.Errorf("%s cannot be none: something is always there, or never changes", name)
	case f.Type != d.Object && (!f.IsRef() || f.Type != d.String):
		t.Errorf("%s is no single reference or object; declare it empty", name)
	case f.Type == d.Object && (f.Flat || !slices.ContainsFunc(f.Fields, func(f d.Field) bool { return f.Required })):
		t.Errorf("%s needs a field that is required, unless it is none", name)
	}
}

// checkGroups wants fields that exclude each other to be a choice.
func checkGroups(t *testing.T, k *d.Kind) {
	t.Helper()
	for _, group := range slices.Concat(k.OneOf, k.AtMostOne) {
		if len(group) < 2 {
			t.Errorf("OneOf or AtMostOne %v leaves no choice", group)
		}
		for _, api := range group {
			if f, ok := k.Field(api); !ok || f.Required {
				t.Errorf("OneOf or AtMostOne %v has %s, which is required or no field of the resource itself", group, api)
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
	case (channel == d.MarkByMetadata || channel == d.MarkByExtra) && k.Marker.Field == "":
		t.Errorf("the marker %s is in no field; set Marker.Field", channel)
	case (channel == d.MarkByKey || k.Shape != d.Resource) && len(k.Key) == 0:
		t.Error("it is known by its key, and has none")
	}
}
