package kit

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/kit/reconcile"
)

// Plan describes a controller for documents and tools.
type Plan struct {
	// Kind of the owner.
	Kind schema.GroupVersionKind
	// Steps in the order of their levels.
	Steps []reconcile.StepInfo
	// Makes lists the kinds that steps make, Reads those that references name, Holds those that they keep from vanishing.
	Makes, Reads, Holds []schema.GroupVersionKind
	// Estate lists the kinds that the owner only inherits.
	Estate []schema.GroupVersionKind
	// Text and Dot are the graph for a terminal and for Graphviz.
	Text, Dot string
}

// Plan describes the graph.
func (c *typed[T]) Plan() Plan {
	makes, reads, holds := c.plan.Declared()
	return Plan{Kind: c.plan.Kind, Steps: c.plan.Info(), Makes: makes, Reads: reads, Holds: holds,
		Estate: c.plan.EstateKinds(), Text: c.plan.Graph.Text(), Dot: c.plan.Graph.Dot()}
}

// Rules returns the rights that controllers need, computed from what their graphs declare, one rule per API group and
// set of verbs.
func Rules(plural func(schema.GroupVersionKind) string, controllers ...Controller) []rbacv1.PolicyRule {
	verbs := map[schema.GroupResource]map[string]bool{}
	add := func(gvk schema.GroupVersionKind, sub string, vs ...string) {
		gr := schema.GroupResource{Group: gvk.Group, Resource: plural(gvk) + sub}
		if verbs[gr] == nil {
			verbs[gr] = map[string]bool{}
		}
		for _, v := range vs {
			verbs[gr][v] = true
		}
	}
	for _, c := range controllers {
		p := c.Plan()
		add(p.Kind, "", "get", "list", "watch", "patch")
		add(p.Kind, "/status", "patch")
		add(p.Kind, "/finalizers", "update")
		for _, k := range p.Makes {
			add(k, "", "get", "list", "watch", "create", "patch", "delete")
			if k.Kind == "Job" {
				add(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "", "list")
			}
		}
		for _, k := range p.Reads {
			add(k, "", "get", "list", "watch")
		}
		for _, k := range p.Estate {
			add(k, "", "get", "list", "watch", "delete")
		}
		for _, k := range p.Holds {
			add(k, "", "patch")
		}
	}
	add(schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"}, "", "create", "patch")
	return group(verbs)
}

func group(verbs map[schema.GroupResource]map[string]bool) []rbacv1.PolicyRule {
	type set struct{ group, verbs string }
	by := map[set][]string{}
	for gr, vs := range verbs {
		var list []string
		for v := range vs {
			list = append(list, v)
		}
		slices.Sort(list)
		k := set{gr.Group, strings.Join(list, ",")}
		by[k] = append(by[k], gr.Resource)
	}
	var rules []rbacv1.PolicyRule
	for k, resources := range by {
		slices.Sort(resources)
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{k.group}, Resources: resources,
			Verbs: strings.Split(k.verbs, ",")})
	}
	slices.SortFunc(rules, func(a, b rbacv1.PolicyRule) int {
		return strings.Compare(a.APIGroups[0]+a.Resources[0]+a.Verbs[0], b.APIGroups[0]+b.Resources[0]+b.Verbs[0])
	})
	return rules
}
