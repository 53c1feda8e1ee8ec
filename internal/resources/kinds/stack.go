package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Stack is a set of resources that Heat makes from a template. A project has a name once.
var Stack = d.Kind{
	Name: "Stack", Plural: "stacks", Service: "orchestration", Path: "/stacks",
	Paths: []string{"/stacks/{stack_name}/{id}"},
	Item:  "stack", Items: "stacks", Bare: true, Doc: "Stack is a set of resources that Heat makes from a template.",
	// An update lacks nothing: what it does not have falls back to its default.
	Key: []string{"stack_name"}, Update: d.Update{Method: "PUT", Whole: true}, Marker: byKey,
	Events: []string{"orchestration.stack"},
	Fields: []d.Field{
		{API: "stack_name", As: "name", Named: true, CreateOnly: true, Max: 255, Pattern: "^[a-zA-Z][a-zA-Z0-9_.-]*$",
			Doc: "Name in OpenStack; that of the object when empty."},
		// Lists show none of these, and Heat hides parameters that are secret.
		{API: "template", Required: true, WriteOnly: true, Max: 524288, Doc: "The template, as YAML."},
		{API: "parameters", Type: d.JSON, WriteOnly: true, Doc: "Values of its parameters."},
		{API: "environment", WriteOnly: true, Max: 524288, Doc: "Its environment, as YAML."},
		{API: "files", Type: d.Map, WriteOnly: true, Doc: "Files that the template names."},
		{API: "timeout_mins", As: "timeoutMinutes", Type: d.Int, WriteOnly: true, HasMin: true, Max: maxInt,
			Doc: "Minutes that it may take."},
		{API: "disable_rollback", Type: d.Bool, WriteOnly: true, Doc: "Whether what failed is left as it is."},
		{API: "tags", WriteOnly: true, Max: 1024, Doc: "Words by which it is found, with commas in between."},
	},
	State: d.State{Path: "stack_status", Fault: "stack_status_reason", Deleted: []string{"DELETE_COMPLETE"},
		Ready: []string{"CREATE_COMPLETE", "UPDATE_COMPLETE", "ADOPT_COMPLETE", "CHECK_COMPLETE", "RESUME_COMPLETE",
			"SNAPSHOT_COMPLETE",
			"RESTORE_COMPLETE"},
		Error: []string{"CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED", "ADOPT_FAILED", "CHECK_FAILED", "RESUME_FAILED",
			"SUSPEND_FAILED",
			"SNAPSHOT_FAILED", "RESTORE_FAILED", "ROLLBACK_FAILED", "ROLLBACK_COMPLETE"}},
	List: d.List{AllProjects: "global_tenant=True", Page: 1000},
	Sample: `template: |
  heat_template_version: 2021-04-16
  resources: {network: {type: OS::Neutron::Net}}`,
}
