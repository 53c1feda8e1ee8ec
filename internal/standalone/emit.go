package standalone

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// plain needs no quotes in YAML, unless it is a word for yes, no or nothing.
var (
	plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 ./_-]*[A-Za-z0-9]$`)
	words = []string{"true", "false", "yes", "no", "on", "off", "null"}
)

// writer writes objects as lines of a template.
type writer struct{ *marks }

// fields are the lines of a map.
func (w writer) fields(m map[string]any, indent string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, w.value(indent+literal(key)+":", m[key], indent)...)
	}
	return out
}

// value are the lines of a value that stands behind a head.
func (w writer) value(head string, value any, indent string) []string {
	if expression, ok := w.wholeOf(value); ok {
		return []string{fmt.Sprintf("%s {{- toYaml (%s) | nindent %d }}", head, expression, len(indent)+2)}
	}
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			return []string{head + " {}"}
		}
		return append([]string{head}, w.fields(value, indent+"  ")...)
	case []any:
		if len(value) == 0 {
			return []string{head + " []"}
		}
		return append([]string{head}, w.items(value, indent+"  ")...)
	case string:
		if block := block(value, indent+"  "); block != nil {
			return append([]string{head + " |"}, block...)
		}
	}
	return []string{head + " " + w.scalarText(value)}
}

// items are the lines of a list.
func (w writer) items(list []any, indent string) []string {
	var out []string
	for _, item := range list {
		if fields, ok := item.(map[string]any); ok && len(fields) > 0 {
			lines := w.fields(fields, indent+"  ")
			lines[0] = indent + "- " + strings.TrimLeft(lines[0], " ")
			out = append(out, lines...)
			continue
		}
		out = append(out, w.value(indent+"-", item, indent)...)
	}
	return out
}

// block are the lines of a program, which nobody wants to read on one.
func block(text, indent string) []string {
	body, ends := strings.CutSuffix(text, "\n")
	if !ends || !strings.Contains(body, "\n") || strings.HasPrefix(body, " ") || strings.HasSuffix(body, "\n") {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			line = indent + line
		}
		out = append(out, line)
	}
	return out
}

func (w writer) scalarText(value any) string {
	switch value := value.(type) {
	case string:
		return w.text(value)
	case int64:
		if expression, ok := w.numbers[value]; ok {
			return "{{ " + expression + " }}"
		}
	}
	return literal(value)
}

// text is a string with expressions in place of its marks.
func (w writer) text(s string) string {
	expression := w.expression(s)
	if expression == strconv.Quote(s) {
		return literal(s)
	}
	return "{{ " + expression + " | toJson }}"
}

// expression is what a string comes to when its marks are values.
func (w writer) expression(s string) string {
	var format strings.Builder
	var args []string
	rest := s
	for {
		at, found := len(rest), ""
		for mark := range w.texts {
			if i := strings.Index(rest, mark); i >= 0 && (i < at || i == at && len(mark) > len(found)) {
				at, found = i, mark
			}
		}
		format.WriteString(strings.ReplaceAll(rest[:at], "%", "%%"))
		if found == "" {
			break
		}
		format.WriteString("%s")
		args = append(args, argument(w.texts[found]))
		rest = rest[at+len(found):]
	}
	switch {
	case len(args) == 0:
		return strconv.Quote(s)
	case format.String() == "%s":
		return strings.TrimSuffix(strings.TrimPrefix(args[0], "("), ")")
	}
	return "printf " + strconv.Quote(format.String()) + " " + strings.Join(args, " ")
}

func argument(expression string) string {
	if strings.Contains(expression, " ") {
		return "(" + expression + ")"
	}
	return expression
}

// literal is YAML: plain text where that can be nothing else, and JSON.
func literal(value any) string {
	if text, ok := value.(string); ok && plain.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// What objects consist of can be encoded.
	_ = e.Encode(value)
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "{{", `{{ "{{" }}`)
}
