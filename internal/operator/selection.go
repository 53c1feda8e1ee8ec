package operator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Selection says which controllers run, and of each which components; nil components are all of them.
type Selection map[string][]string

// Select reads the value of --controllers: names of controllers, or controller/component, separated by commas. Empty
// selects everything. known maps each controller to the components it has.
func Select(flag string, known map[string][]string) (Selection, error) {
	out := Selection{}
	if strings.TrimSpace(flag) == "" {
		for name := range known {
			out[name] = nil
		}
		return out, nil
	}
	for part := range strings.SplitSeq(flag, ",") {
		name, component, split := strings.Cut(strings.TrimSpace(part), "/")
		if err := check(name, component, split, known); err != nil {
			return nil, err
		}
		out.add(name, component, split)
	}
	return out, nil
}

func check(name, component string, split bool, known map[string][]string) error {
	components, ok := known[name]
	if !ok {
		return fmt.Errorf("controller %q does not exist; those that exist are %s",
			name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	if !split || slices.Contains(components, component) {
		return nil
	}
	if len(components) == 0 {
		return fmt.Errorf("controller %s has no components; leave out /%s", name, component)
	}
	return fmt.Errorf("controller %s has no component %q; those that exist are %s",
		name, component, strings.Join(components, ", "))
}

// add widens the selection; a controller named without a component has all of them, whatever else is said.
func (s Selection) add(name, component string, split bool) {
	have, seen := s[name]
	switch {
	case !split:
		s[name] = nil
	case !seen:
		s[name] = []string{component}
	case have != nil && !slices.Contains(have, component):
		s[name] = append(have, component)
	}
}

// Lease is the name of the lease that the operators of this selection share. Operators of different selections run at
// the same time, so each selection has its own.
func (s Selection) Lease(all int) string {
	if len(s) == all && s.whole() {
		return "stackwright-operator"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		parts = append(parts, strings.Join(append([]string{name}, slices.Sorted(slices.Values(s[name]))...), "."))
	}
	return "stackwright-operator-" + digest(strings.Join(parts, ","))
}

func (s Selection) whole() bool {
	for _, c := range s {
		if c != nil {
			return false
		}
	}
	return true
}
