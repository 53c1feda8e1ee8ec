package standalone

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// each are expressions for the names of the Secrets that the definition reads for each item of a list.
func (l *loom) each() []item {
	var out []item
	for _, name := range slices.Sorted(maps.Keys(l.asks)) {
		_, name, _ = strings.Cut(name, "/")
		if list := listOf(l.chart, name); list != "" {
			out = append(out, item{List: dig([]string{list}, "(list)"), Value: writer{l.marks}.expression(name)})
		}
	}
	return out
}

// listOf is the list whose items' fields a name has marks of.
func listOf(c Chart, name string) string {
	for _, axis := range c.Axes {
		if axis.Each != "" && strings.Contains(name, begin(axis.Each)) {
			return axis.Each
		}
	}
	return ""
}

// needed are the Secrets that somebody has to make for each item of a list, by name, with the keys that matter. An
// operator goes on without those of one item; whoever installs wants to hear of it.
func needed(c Chart, name string, spec map[string]any) map[string][]string {
	out := map[string][]string{}
	for end, keys := range c.Given {
		list := listOf(c, end)
		if list == "" {
			continue
		}
		items, _ := spec[list].([]any)
		for _, item := range items {
			own := end
			fields, _ := item.(map[string]any)
			for field, value := range fields {
				own = strings.ReplaceAll(own, mark(list, field), fmt.Sprint(value))
			}
			out[name+"-"+own] = keys
		}
	}
	return out
}

// lacking tells what Secrets lack, nil is one that is not there.
func lacking(want map[string][]string, have map[string]*corev1.Secret) error {
	var all []error
	for _, name := range slices.Sorted(maps.Keys(want)) {
		all = append(all, lacks(name, have[name], want[name]))
	}
	return errors.Join(all...)
}

// lacks tells what a Secret lacks, nil is one that is not there.
func lacks(name string, s *corev1.Secret, keys []string) error {
	if s == nil {
		return fmt.Errorf("the Secret %s has to exist, with %s", name, strings.Join(keys, ", "))
	}
	missing := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return len(s.Data[key]) > 0 })
	if len(missing) > 0 {
		return fmt.Errorf("the Secret %s has to have %s, too", name, strings.Join(missing, ", "))
	}
	return nil
}

// itemsOf are the Secrets that an object needs for items of its lists.
func itemsOf(o client.Object, data []byte) map[string][]string {
	var whole struct{ Spec map[string]any }
	// Whoever made the object of it has read it.
	_ = json.Unmarshal(data, &whole)
	return needed(chartOf(o.GetObjectKind().GroupVersionKind().Kind), o.GetName(), whole.Spec)
}
