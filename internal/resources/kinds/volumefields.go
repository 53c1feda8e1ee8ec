package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// words and titled are how Cinder shows booleans in some places.
var words, titled = map[string]any{"true": "true", "false": "false"}, map[string]any{"true": "True", "false": "False"}

// resets lets what is being deleted be deleted again. Only administrators may.
func resets(path string) d.Action {
	return d.Action{Name: "reset", Request: d.Request{Path: path, Body: `{"os-reset_status": {"status": "error"}}`}}
}

var volumeState = d.State{Path: "status",
	Ready:   []string{"available", "in-use", "reserved", "maintenance", "awaiting-transfer"},
	Pending: []string{"creating", "downloading", "restoring-backup"},
	Error: []string{"error", "error_deleting", "error_extending", "error_managing", "error_restoring",
		"error_backing-up"},
	// NO_BACKEND_AVAILABLE in cinder/message/message_field.py: the scheduler has found none.
	Remedies: []d.Remedy{{Words: "Could not find any available weighted backend", Advice: "no back end that its type " +
		"allows is up and has room for it: see stackwright openstack volume service list, make room there or repair it"}},
	Messages: "/messages?limit=1&resource_uuid={id}&sort=created_at:desc", MessagesSince: "3.5",
	// What cinder-scheduler has in hand when it dies, nobody takes up again; only administrators see hosts.
	Untaken: d.Sign{Path: "os-vol-host-attr:host"},
	Leaving: d.Sign{Path: "status", Value: "deleting"}, Release: "reset",
}

var volumeActions = []d.Action{
	resets("/volumes/{id}/action"),
	// 3.42 extends volumes that servers use.
	{Name: "extend", Slow: true,
		Request: d.Request{Path: "/volumes/{id}/action", Body: `{"os-extend": {"new_size": {value}}}`, Since: "3.42"}},
	{Name: "retype", Slow: true, Request: d.Request{Path: "/volumes/{id}/action",
		Body: `{"os-retype": {"new_type": {value}, "migration_policy": "on-demand"}}`}},
	{Name: "readonly",
		Request: d.Request{Path: "/volumes/{id}/action", Body: `{"os-update_readonly_flag": {"readonly": {value}}}`}},
	{Name: "bootable",
		Request: d.Request{Path: "/volumes/{id}/action", Body: `{"os-set_bootable": {"bootable": {value}}}`}},
	{Name: "metadata", Request: d.Request{Path: "/volumes/{id}/metadata", Body: `{"metadata": {added}}`},
		Remove: &d.Request{Method: "DELETE", Path: "/volumes/{id}/metadata/{removed}"}},
}
