package standalone

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Marks that every play has.
const (
	markName  = "marked-name"
	markSpace = "marked-space"
	copied    = "$"
)

// firstNumber is the mark of the first field that is a number.
const firstNumber = 4_711_000

// marks are what stands in a played spec for values of a chart, and the expressions for them.
type marks struct {
	schema map[string]any
	// expressions by the mark.
	texts   map[string]string
	numbers map[int64]string
	// wholes are values that are copied as a whole, with their expressions.
	wholes []whole
}

type whole struct {
	value      any
	expression string
}

func newMarks(schema map[string]any) *marks {
	return &marks{schema: schema, texts: map[string]string{markName: "$name", markSpace: "$namespace"},
		numbers: map[int64]string{}}
}

// spec lays patches over the base of a chart, with marks for what is copied.
func (m *marks) spec(c Chart, patches ...patch) (map[string]any, error) {
	out := map[string]any{}
	for _, p := range append([]patch{{text: c.Base}}, patches...) {
		from, err := p.parse()
		if err != nil {
			return nil, err
		}
		m.lay(out, from, nil, p.axis)
	}
	return out, nil
}

// patch is one case of an axis.
type patch struct {
	axis Axis
	text string
}

func (p patch) parse() (map[string]any, error) {
	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(p.text), &out); err != nil {
		return nil, fmt.Errorf("reading %q: %w", p.text, err)
	}
	return out, nil
}

func (m *marks) lay(to, from map[string]any, above []string, axis Axis) {
	for _, key := range slices.Sorted(maps.Keys(from)) {
		path := append(slices.Clone(above), key)
		switch value := from[key].(type) {
		case nil:
			delete(to, key)
		case map[string]any:
			if dotted(path) == axis.Whole {
				to[key] = m.whole(value, path)
				continue
			}
			inner, ok := to[key].(map[string]any)
			if !ok {
				inner = map[string]any{}
				to[key] = inner
			}
			m.lay(inner, value, path, axis)
		case []any:
			to[key] = m.list(value, path, axis)
		default:
			to[key] = m.scalar(value, path, dig(path, m.fallback(path)))
		}
	}
}

func dotted(path []string) string { return strings.Join(path, ".") }

func (m *marks) whole(value any, path []string) any {
	m.wholes = append(m.wholes, whole{integers(value), dig(path, "(dict)")})
	return value
}

func (m *marks) list(items []any, path []string, axis Axis) any {
	switch dotted(path) {
	case axis.Whole:
		if len(items) > 0 {
			m.whole(items, path)
		}
	case axis.Each:
		for _, item := range items {
			fields, _ := item.(map[string]any)
			m.item(fields, path, nil, axis)
		}
	}
	return items
}

// item marks the fields of an item, and those inside of them.
func (m *marks) item(fields map[string]any, list, inside []string, axis Axis) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		below := append(slices.Clone(inside), key)
		path := append(slices.Clone(list), below...)
		if inner, ok := fields[key].(map[string]any); ok {
			m.item(inner, list, below, axis)
			continue
		}
		expression := "." + key
		if len(inside) > 0 {
			expression = ofItem(below, m.fallback(path))
		}
		if other := axis.Else[key]; other != "" {
			expression += " | default (" + dig([]string{other}, `""`) + ")"
		}
		fields[key] = m.scalar(fields[key], path, expression)
	}
}

// scalar is the value, or a mark for it.
func (m *marks) scalar(value any, path []string, expression string) any {
	if value != copied {
		return value
	}
	if m.field(path)["type"] == "integer" {
		mark := int64(firstNumber)
		for mark < firstNumber+int64(len(m.numbers)) && m.numbers[mark] != expression {
			mark++
		}
		m.numbers[mark] = expression
		// Values are read as floating-point numbers, and commands have numbers as text.
		m.texts[strconv.FormatInt(mark, 10)] = "int64 (" + expression + ") | toString"
		return mark
	}
	text := mark(path...)
	m.texts[text] = expression
	return text
}

// mark stands for the text of a field.
func mark(path ...string) string { return begin(path...) + "x" }

// begin is how the marks of all fields in one begin.
func begin(path ...string) string { return "marked-" + strings.ToLower(strings.Join(path, "-")) + "-" }

// field is the schema of a field.
func (m *marks) field(path []string) map[string]any {
	at := m.schema
	for _, key := range path {
		if items, ok := at["items"].(map[string]any); ok {
			at = items
		}
		at, _ = at["properties"].(map[string]any)
		at, _ = at[key].(map[string]any)
	}
	return at
}

// fallback is what the API server sets when a field is not there, as a literal.
func (m *marks) fallback(path []string) string {
	field := m.field(path)
	if value, ok := field["default"]; ok {
		text, err := json.Marshal(value)
		if err == nil {
			return string(text)
		}
	}
	switch field["type"] {
	case "boolean":
		return "false"
	case "integer":
		return "0"
	}
	return `""`
}

// dig is an expression for a value of a chart.
func dig(path []string, fallback string) string { return digIn(path, fallback, "$spec") }

// ofItem is an expression for a value of an item of a list.
func ofItem(path []string, fallback string) string { return digIn(path, fallback, ".") }

func digIn(path []string, fallback, in string) string {
	var quoted []string
	for _, key := range path {
		quoted = append(quoted, strconv.Quote(key))
	}
	return "dig " + strings.Join(quoted, " ") + " " + fallback + " " + in
}

// condition is the expression that tells whether values are those of a case.
func (m *marks) condition(p patch) (string, error) {
	from, err := p.parse()
	if err != nil {
		return "", err
	}
	all := m.conditions(from, nil, p.axis)
	if len(all) == 0 {
		all = wanting(from, nil)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return "and (" + strings.Join(all, ") (") + ")", nil
}

func (m *marks) conditions(from map[string]any, above []string, axis Axis) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(from)) {
		path := append(slices.Clone(above), key)
		switch value := from[key].(type) {
		case nil:
		case map[string]any:
			if dotted(path) == axis.Whole {
				all = append(all, dig(path, "(dict)"))
				continue
			}
			all = append(all, m.conditions(value, path, axis)...)
		case []any:
			if len(value) > 0 {
				all = append(all, dig(path, "(list)"))
			} else {
				all = append(all, "hasKey $spec "+strconv.Quote(key))
			}
		case bool:
			all = append(all, dig(path, "false"))
		case float64:
			all = append(all, fmt.Sprintf("eq (int64 (%s)) %d", dig(path, m.fallback(path)), int64(value)))
		case string:
			if value == copied {
				all = append(all, dig(path, `""`))
			} else {
				all = append(all, fmt.Sprintf("eq (%s) %q", dig(path, m.fallback(path)), value))
			}
		}
	}
	return all
}

// wanting are conditions that fields are not given.
func wanting(from map[string]any, above []string) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(from)) {
		switch value := from[key].(type) {
		case nil:
			all = append(all, "not ("+present(above, key)+")")
		case map[string]any:
			all = append(all, wanting(value, append(slices.Clone(above), key))...)
		}
	}
	return all
}

// wholeOf returns the expression for a node that is copied as a whole.
func (m *marks) wholeOf(node any) (string, bool) {
	for _, w := range m.wholes {
		if reflect.DeepEqual(w.value, node) {
			return w.expression, true
		}
	}
	return "", false
}

// integers makes integers of numbers, as objects have them.
func integers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = integers(value[key])
		}
	case []any:
		for i := range value {
			value[i] = integers(value[i])
		}
	case float64:
		return int64(value)
	}
	return value
}
