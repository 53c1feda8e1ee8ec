package kinds_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// The page for those who come from K-ORC names kinds and fields that there are.
func TestPageOfKORC(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/k-orc.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "\n## Fields\n")
	table, _, more := strings.Cut(table, "\n## ")
	if !ok || !more {
		t.Fatal("the page has no section Fields")
	}
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.Contains(cells[0], "---") || strings.TrimSpace(cells[0]) == "kind" {
			continue
		}
		rows++
		for name := range strings.SplitSeq(cells[0], ",") {
			if lacks := lacking(strings.TrimSpace(name), cells[2]); lacks != "" {
				t.Errorf("%s: %s", strings.TrimSpace(line), lacks)
			}
		}
	}
	if rows < 20 {
		t.Errorf("the table has %d rows", rows)
	}
}

// code is what stands in code marks.
var code = regexp.MustCompile("`([^`]+)`")

// lacking tells which field a kind lacks that a cell names, at any depth. Names of the API and of other things than
// fields are left out.
func lacking(name, cell string) string {
	for _, k := range kinds.All() {
		if k.Name != name {
			continue
		}
		if _, in, ok := strings.Cut(cell, " in the map "); ok {
			cell = in // keys of maps are not ours
		}
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			field, _, _ := strings.Cut(m[1], ":")
			field = strings.ReplaceAll(field, "[]", "")
			if strings.HasPrefix(field, "spec.") || strings.Contains(field, "_") || field == "true" || field == "false" ||
				field == "name" || field == "key" || fieldAt(k.Fields, strings.Split(field, ".")) {
				continue
			}
			return "a " + name + " has no field " + field
		}
		return ""
	}
	return "there is no kind " + name
}

// fieldAt tells whether fields have a path, beginning at any depth.
func fieldAt(fields []d.Field, path []string) bool {
	for _, f := range fields {
		if f.Spec() == path[0] && (len(path) == 1 || fieldAt(f.Fields, path[1:])) || fieldAt(f.Fields, path) {
			return true
		}
	}
	return false
}
