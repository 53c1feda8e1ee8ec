package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// words and titled are how Cinder shows booleans in some places.
var words, titled = map[string]any{"true": "true", "false": "false"}, map[string]any{"true": "True", "false": "False"}

var volumeActions = []d.Action{
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
