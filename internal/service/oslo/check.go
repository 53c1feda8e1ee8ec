package oslo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stackwright.dev/stackwright/internal/image/catalogue"
)

// maxProblems is how many problems one message tells.
const maxProblems = 8

// Layer is one source of options, laid over those before it.
type Layer struct {
	// Origin is what people call the source, such as spec.config.
	Origin string
	// Hidden values are never told.
	Hidden bool
	// File holds the options.
	File *File
	// Lists are the options whose values were given as a list, by section and option.
	Lists map[[2]string]bool
}

// Section says what a section takes that users name.
type Section struct {
	// Like is the section of the release whose options it takes; it takes any option when that is empty.
	Like string
	// Only are those of these options that it takes; nil are all of them.
	Only []string
	// Beside are options that no section of the release has.
	Beside map[string]catalogue.Option
}

// options are those that the section takes.
func (s Section) options(known *catalogue.Catalogue) map[string]catalogue.Option {
	out := map[string]catalogue.Option{}
	for name, option := range known.Groups[s.Like].Options {
		if s.Only == nil || slices.Contains(s.Only, name) {
			out[name] = option
		}
	}
	maps.Copy(out, s.Beside)
	return out
}

// Checker knows the options of a service.
type Checker struct {
	Catalogue *catalogue.Catalogue
	// Free are options that a service reads from sections named by its users, such as one section per protocol.
	Free []string
	// Sections are sections named by users.
	Sections map[string]Section
	// Own tells why nobody but the operator sets an option; empty for the others.
	Own func(section, option string) string
	// Plain says that it is not oslo.config that reads the options: a dash in a name is no underscore, and a $ in a value
	// does not stand for another one.
	Plain bool
}

// Compose checks each layer and lays it over base, which is the operator's own and stays as it is. The error tells all
// that is wrong, in the order of layers, sections and options.
func (c Checker) Compose(base *File, layers ...Layer) (*File, error) {
	out := base.Clone()
	var problems []string
	for _, layer := range layers {
		for _, section := range layer.File.Sections() {
			for _, option := range layer.File.Options(section) {
				if problem := c.apply(out, layer, section, option); problem != "" {
					problems = append(problems, layer.Origin+": "+problem)
				}
			}
		}
	}
	if len(problems) == 0 {
		return out, nil
	}
	problems = slices.Compact(problems)
	if more := len(problems) - maxProblems; more > 0 {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", more))
	}
	return nil, errors.New(strings.Join(problems, "; "))
}

// place is the section and name by which the release knows an option. The option is nil when it may be set but nothing
// is known about it.
type place struct {
	group, name string
	option      *catalogue.Option
}

// apply puts one option of a layer into out, under the name that it has now, or returns what is wrong with it.
func (c Checker) apply(out *File, layer Layer, section, option string) string {
	for _, name := range []string{section, option} {
		if strings.ContainsAny(name, lineEnds) {
			return fmt.Sprintf("the name %q has a line end; take it out", name)
		}
	}
	values := layer.File.Values(section, option)
	at, problem := c.find(section, option)
	if problem != "" {
		return problem
	}
	if at.option == nil {
		out.put(at.group, at.name, values)
		return ""
	}
	if layer.Lists[[2]string{section, option}] && !at.option.Multi {
		joined, why := join(at.option, values)
		if why != "" {
			return fmt.Sprintf("[%s] %s %s", section, option, why)
		}
		values = []string{joined}
	}
	for _, value := range values {
		if why := wrong(at.option.Type, c.literal(value)); why != "" {
			shown := fmt.Sprintf(", not %q", value)
			if layer.Hidden || at.option.Secret {
				shown = ""
			}
			return fmt.Sprintf("[%s] %s must be %s%s", section, option, why, shown)
		}
	}
	if !at.option.Multi {
		values = values[len(values)-1:]
	}
	out.put(at.group, at.name, values)
	return ""
}

// literal is a value in which a $ that stands for nothing else is written as oslo.config has it.
func (c Checker) literal(value string) string {
	if c.Plain {
		return Literal(value)
	}
	return value
}

// join makes the text of a list or a dictionary out of its items.
func join(spec *catalogue.Option, values []string) (text, why string) {
	if spec.Kind != catalogue.KindList && spec.Kind != catalogue.KindDict && spec.Kind != catalogue.KindOther {
		return "", "takes one value; write no list"
	}
	for _, value := range values {
		if strings.Contains(value, ",") {
			return "", "has a comma in an item of its list; write the list as one string"
		}
	}
	text = strings.Join(values, ",")
	if spec.Bounds {
		text = "[" + text + "]"
	}
	return text, ""
}

// find looks an option up, or tells what is wrong.
func (c Checker) find(section, option string) (at place, problem string) {
	group := section
	if section != Default {
		group = strings.ToLower(section)
	}
	name := option
	if !c.Plain {
		name = strings.ReplaceAll(option, "-", "_")
	}
	if slices.Contains(c.Free, name) {
		return place{group: group, name: name}, ""
	}
	named, ok := c.Sections[group]
	switch {
	case ok && named.Like == "":
		return place{group: group, name: name}, ""
	case ok:
		return c.named(group, name, named)
	}
	if o, ok := c.Catalogue.Groups[group].Options[name]; ok {
		return place{group, name, &o}, c.owned(group, name)
	}
	if at := c.renamed(group, name); at.option != nil {
		return at, ""
	}
	return place{}, c.unknown(group, section, option)
}

// owned tells that an option is the operator's, if it is.
func (c Checker) owned(group, name string) string {
	if c.Own == nil {
		return ""
	}
	why := c.Own(group, name)
	if why == "" {
		return ""
	}
	return fmt.Sprintf("[%s] %s is not set here: %s; take it out", group, name, why)
}

// named finds an option of a section that users name.
func (c Checker) named(group, name string, section Section) (at place, problem string) {
	options := section.options(c.Catalogue)
	if o, ok := options[name]; ok {
		return place{group, name, &o}, ""
	}
	if near := nearest(name, maps.Keys(options)); near != "" {
		return place{}, fmt.Sprintf("section [%s] takes no option %s; did you mean %s?", group, name, near)
	}
	takes := "those of [" + section.Like + "]"
	if section.Only != nil {
		takes = strings.Join(slices.Sorted(maps.Keys(options)), ", ")
	}
	return place{}, fmt.Sprintf("section [%s] takes no option %s; take it out, or use one of %s", group, name,
		takes)
}

// renamed finds an option by a name that it had in an earlier release.
func (c Checker) renamed(group, name string) place {
	for _, g := range slices.Sorted(maps.Keys(c.Catalogue.Groups)) {
		options := c.Catalogue.Groups[g].Options
		for _, n := range slices.Sorted(maps.Keys(options)) {
			o := options[n]
			was := func(d catalogue.Name) bool {
				return d.Group == group && strings.ReplaceAll(d.Name, "-", "_") == name
			}
			if slices.ContainsFunc(o.Deprecated, was) {
				return place{g, n, &o}
			}
		}
	}
	return place{}
}

// unknown tells what was probably meant.
func (c Checker) unknown(group, section, option string) string {
	where := fmt.Sprintf("%s of release %s", c.Catalogue.Service, c.Catalogue.Release)
	known, ok := c.Catalogue.Groups[group]
	if !ok {
		names := slices.AppendSeq(slices.Collect(maps.Keys(c.Catalogue.Groups)), maps.Keys(c.Sections))
		if near := nearest(group, slices.Values(names)); near != "" {
			return fmt.Sprintf("%s has no section [%s]; did you mean [%s]?", where, section, near)
		}
		return fmt.Sprintf("%s has no section [%s]%s", where, section, c.elsewhere(option))
	}
	if hint := c.elsewhere(option); hint != "" {
		return fmt.Sprintf("%s has no option %s in section [%s]%s", where, option, section, hint)
	}
	if near := nearest(option, maps.Keys(known.Options)); near != "" {
		return fmt.Sprintf("%s has no option %s in section [%s]; did you mean %s?", where, option, section, near)
	}
	return fmt.Sprintf("%s has no option %s in section [%s]; take it out", where, option, section)
}

// elsewhere tells which sections have the option.
func (c Checker) elsewhere(option string) string {
	var in []string
	for _, g := range slices.Sorted(maps.Keys(c.Catalogue.Groups)) {
		if _, ok := c.Catalogue.Groups[g].Options[option]; ok {
			in = append(in, "["+g+"]")
		}
	}
	switch len(in) {
	case 0:
		return ""
	case 1, 2, 3:
		return "; move it to " + strings.Join(in, " or ")
	}
	return "; move it to " + strings.Join(in[:3], ", ") + " or another section"
}
