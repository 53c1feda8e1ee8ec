package standalone

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// loom weaves what a definition makes of many specs into one template.
type loom struct {
	ctx   context.Context
	chart Chart
	marks *marks
	base  *scene
	// lines of each object in the base, and hunks by axis, case and object.
	lines [][]string
	hunks [][][][]hunk
	// absent are conditions under which an object is not made.
	absent map[int][]string
	// always are patches that are laid over the base before all others, parts what is made for each item of a list.
	always []patch
	parts  []part
	// played are combinations, which are asked for many times.
	played                   map[string]*scene
	secrets, asks, passwords map[string]bool
}

// part are objects that are made for each item of a list.
type part struct {
	*loom
	axis Axis
	text string
	// objects of the loom's base that are not made without the item.
	objects []int
}

func newLoom(ctx context.Context, c Chart, schema map[string]any) (*loom, error) {
	m := newMarks(schema)
	m.texts[hashMark] = "$hash"
	return weave(&loom{ctx: ctx, chart: c, marks: m, secrets: map[string]bool{}, asks: map[string]bool{},
		passwords: map[string]bool{}})
}

// weave plays what a loom needs.
func weave(l *loom) (*loom, error) {
	c := l.chart
	l.played, l.absent = map[string]*scene{}, map[int][]string{}
	// All marks have to be known before anything is written.
	for _, axis := range c.Axes {
		for _, text := range axis.Cases {
			if _, err := l.marks.spec(c, patch{axis, text}); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if l.base, err = l.play(); err != nil {
		return nil, err
	}
	for i := range l.base.objects {
		l.lines = append(l.lines, l.write(l.base, i))
	}
	for _, axis := range c.Axes {
		var cases [][][]hunk
		for _, text := range axis.Cases {
			hunks, err := l.differences(patch{axis, text})
			if err != nil {
				return nil, err
			}
			cases = append(cases, hunks)
			if err := l.miss(patch{axis, text}); err != nil {
				return nil, err
			}
			if err := l.itemize(patch{axis, text}); err != nil {
				return nil, err
			}
		}
		l.hunks = append(l.hunks, cases)
	}
	return l, nil
}

// play plays the base with patches.
func (l *loom) play(patches ...patch) (*scene, error) {
	var key strings.Builder
	for _, p := range patches {
		key.WriteString(p.text + "\n")
	}
	if s := l.played[key.String()]; s != nil {
		return s, nil
	}
	spec, err := l.marks.spec(l.chart, append(slices.Clone(l.always), patches...)...)
	if err != nil {
		return nil, err
	}
	for name, field := range l.marks.schema["properties"].(map[string]any) {
		if value := field.(map[string]any)["default"]; value != nil && spec[name] == nil {
			spec[name] = value
		}
	}
	s, err := stage(l.ctx, l.chart, spec)
	if err != nil {
		return nil, fmt.Errorf("with %q: %w", key.String(), err)
	}
	for _, name := range s.secrets {
		l.secrets[name] = true
	}
	for _, name := range s.asked {
		l.asks[name] = true
	}
	for _, name := range s.passwords {
		l.passwords[name] = true
	}
	l.played[key.String()] = s
	return s, nil
}

// write are the lines of an object.
func (l *loom) write(s *scene, i int) []string {
	return writer{l.marks}.fields(s.objects[i].tree, "")
}

// differences are the hunks of all objects.
func (l *loom) differences(patches ...patch) ([][]hunk, error) {
	s, err := l.play(patches...)
	if err != nil {
		return nil, err
	}
	var out [][]hunk
	found := 0
	for i, o := range l.base.objects {
		var hunks []hunk
		if j := s.find(o); j >= 0 {
			hunks = diff(l.lines[i], l.write(s, j))
			found++
		}
		out = append(out, hunks)
	}
	more := slices.ContainsFunc(patches, func(p patch) bool { return p.axis.Each != "" })
	if found != len(s.objects) && !more {
		return nil, fmt.Errorf("%v makes objects that are not made without it; turn the case round", patches)
	}
	return out, nil
}

// itemize notes which objects are made for an item of a list, and weaves them: they differ with the other axes, too.
func (l *loom) itemize(p patch) error {
	s, err := l.play(p)
	if err != nil || p.axis.Each == "" {
		return err
	}
	var own []int
	for i, o := range s.objects {
		if l.base.find(o) < 0 {
			own = append(own, i)
		}
	}
	if len(own) == 0 {
		return nil
	}
	c := l.chart
	c.Axes = slices.DeleteFunc(slices.Clone(c.Axes), func(a Axis) bool { return a.Each == p.axis.Each })
	inner, err := weave(&loom{ctx: l.ctx, chart: c, marks: l.marks, always: append(slices.Clone(l.always), p),
		secrets: l.secrets, asks: l.asks, passwords: l.passwords})
	if err != nil {
		return err
	}
	l.parts = append(l.parts, part{inner, p.axis, p.text, own})
	return nil
}

// find returns where an object of another scene is in this one, -1 when it is not.
func (s *scene) find(o object) int {
	return slices.IndexFunc(s.objects, func(own object) bool { return own.name() == o.name() })
}

// miss notes which objects are not made in a case.
func (l *loom) miss(p patch) error {
	s, err := l.play(p)
	if err != nil {
		return err
	}
	for i, o := range l.base.objects {
		if s.find(o) >= 0 {
			continue
		}
		if len(p.axis.Cases) > 1 {
			return fmt.Errorf("%s is not made with %q; give that an axis of its own", o.name(), p.text)
		}
		condition, err := l.marks.condition(p)
		if err != nil {
			return err
		}
		l.absent[i] = append(l.absent[i], condition)
	}
	return nil
}

// region is a part of an object that axes change.
type region struct {
	from, to int
	axes     []int
}

// regions are the parts of an object that are not the same in all specs. Axes that meet in one part share it.
func (l *loom) regions(object int) []region {
	var all []region
	for axis, cases := range l.hunks {
		for _, hunks := range cases {
			for _, h := range hunks[object] {
				all = append(all, region{h.from, h.to, []int{axis}})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b region) int { return a.from - b.from })
	var out []region
	for _, r := range all {
		if n := len(out) - 1; n >= 0 && out[n].meets(r) {
			out[n].to = max(out[n].to, r.to)
			if !slices.Contains(out[n].axes, r.axes[0]) {
				out[n].axes = append(out[n].axes, r.axes[0])
			}
			continue
		}
		out = append(out, r)
	}
	return out
}

// meets tells whether a region that begins later shares lines, or inserts at the same place.
func (r region) meets(later region) bool {
	return later.from < r.to || later.from == r.from || later.from == later.to && later.from == r.to
}

// object is the template of one object.
func (l *loom) object(i int) ([]string, error) {
	var out []string
	at := 0
	for _, r := range l.regions(i) {
		lines, err := l.choose(i, r, r.axes, nil)
		if err != nil {
			return nil, err
		}
		out = append(append(out, l.lines[i][at:r.from]...), lines...)
		at = r.to
	}
	return append(out, l.lines[i][at:]...), nil
}

// choose writes a region for all cases of the axes that are left, when those before are chosen.
func (l *loom) choose(object int, r region, axes []int, chosen []patch) ([]string, error) {
	if len(axes) == 0 {
		hunks, err := l.differences(chosen...)
		if err != nil {
			return nil, err
		}
		lines, ok := within(l.lines[object], hunks[object], r.from, r.to)
		if !ok {
			return nil, fmt.Errorf("with %v what differs of %s does not fit; give the axes one list of cases", chosen,
				l.base.objects[object].kind())
		}
		return lines, nil
	}
	axis := l.chart.Axes[axes[0]]
	if axis.Each != "" {
		return l.repeat(object, r, axes, chosen)
	}
	otherwise, err := l.choose(object, r, axes[1:], chosen)
	if err != nil {
		return nil, err
	}
	var all []branch
	for _, text := range axis.Cases {
		p := patch{axis, text}
		lines, err := l.choose(object, r, axes[1:], append(slices.Clone(chosen), p))
		if err != nil {
			return nil, err
		}
		condition, err := l.marks.condition(p)
		if err != nil {
			return nil, err
		}
		if n := len(all) - 1; n >= 0 && slices.Equal(all[n].lines, lines) {
			all[n].condition = fmt.Sprintf("or (%s) (%s)", all[n].condition, condition)
			continue
		}
		all = append(all, branch{condition, lines})
	}
	return branches(all, otherwise), nil
}

// branch are lines under a condition.
type branch struct {
	condition string
	lines     []string
}

// branches are the lines of the first branch whose condition holds, or the others.
func branches(all []branch, otherwise []string) []string {
	if n := len(all) - 1; slices.Equal(all[n].lines, otherwise) {
		all = all[:n]
	}
	if len(all) == 0 {
		return otherwise
	}
	var out []string
	word := "if"
	for _, b := range all {
		out = append(append(out, "{{- "+word+" "+b.condition+" }}"), b.lines...)
		word = "else if"
	}
	if len(otherwise) > 0 {
		out = append(append(out, "{{- else }}"), otherwise...)
	}
	return append(out, "{{- end }}")
}

// repeat writes a region in which something is added for each item of a list.
func (l *loom) repeat(object int, r region, axes []int, chosen []patch) ([]string, error) {
	axis := l.chart.Axes[axes[0]]
	if len(axes) > 1 || r.from != r.to {
		return nil, fmt.Errorf("items of %s are added to %s where other axes change something", axis.Each,
			l.base.objects[object].kind())
	}
	out := []string{"{{- range " + dig([]string{axis.Each}, "(list)") + " }}"}
	for _, text := range axis.Cases {
		lines, err := l.choose(object, r, nil, append(slices.Clone(chosen), patch{axis, text}))
		if err != nil {
			return nil, err
		}
		if len(axis.Cases) == 1 {
			return append(append(out, lines...), "{{- end }}"), nil
		}
		condition, err := l.distinct(axis, text)
		if err != nil {
			return nil, err
		}
		out = append(append(out, "{{- if "+condition+" }}"), lines...)
		out = append(out, "{{- end }}")
	}
	return append(out, "{{- end }}"), nil
}

// distinct is the field of an item that other cases of a list do not have.
func (l *loom) distinct(axis Axis, text string) (string, error) {
	item := func(text string) (map[string]any, error) {
		from, err := patch{axis, text}.parse()
		if err != nil {
			return nil, err
		}
		items, _ := from[axis.Each].([]any)
		if len(items) != 1 {
			return nil, fmt.Errorf("%q has to have one item of %s", text, axis.Each)
		}
		fields, _ := items[0].(map[string]any)
		return fields, nil
	}
	fields, err := item(text)
	if err != nil {
		return "", err
	}
	own := slices.Sorted(maps.Keys(fields))
	for _, other := range axis.Cases {
		if other == text {
			continue
		}
		theirs, err := item(other)
		if err != nil {
			return "", err
		}
		own = slices.DeleteFunc(own, func(key string) bool { _, ok := theirs[key]; return ok })
	}
	if len(own) != 1 {
		return "", fmt.Errorf("%q has to have one field that the other cases do not have", text)
	}
	return "." + own[0], nil
}
