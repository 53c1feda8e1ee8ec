package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// LoadBalancerQuota limits what a project may have in Octavia. Deletion brings the defaults back.
var LoadBalancerQuota = d.Kind{
	Name: "LoadBalancerQuota", Plural: "loadbalancerquotas", Service: "load-balancer", Shape: d.Singleton,
	Doc:  "LoadBalancerQuota limits what a project may have in Octavia; its deletion brings the defaults back.",
	Path: "/quotas/{project_id}", Item: "quota", Key: []string{"project_id"}, Update: d.Update{Method: "PUT"},
	Fields: []d.Field{
		quotaProject,
		lbQuota("load_balancer", "Load balancers."), lbQuota("listener", "Listeners."), lbQuota("pool", "Pools."),
		lbQuota("member", "Members."), lbQuota("health_monitor", "Health monitors."), lbQuota("l7policy", "L7 policies."),
		lbQuota("l7rule", "L7 rules."),
	},
	List: ownQuotas,
	Sample: `projectRef: {name: shop}
loadBalancer: 3`,
}
