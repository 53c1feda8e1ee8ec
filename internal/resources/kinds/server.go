package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Server is a virtual machine, or a bare one.
var Server = d.Kind{
	Name: "Server", Plural: "servers", Service: "compute", Path: "/servers", Item: "server", Items: "servers",
	Doc: "Server is a virtual machine, or a bare one.", Key: []string{"name"},
	Events: []string{"instance", "compute.instance"}, Awaits: subnetted,
	After: []d.Sibling{{Kind: "Subnet", Of: "Network", Why: "Nova takes no network without one"}},
	// From 2.47 on the flavor is shown without its id.
	Read: "2.46", Update: d.Update{Method: "PUT"}, Marker: metadata,
	Fields: append([]d.Field{
		name(255), {API: "description", Max: 255, Since: "2.19", Doc: "A sentence for people."},
		{API: "flavorRef", As: "flavorRef", In: "flavor.id", Ref: "Flavor", Required: true, Via: "resize",
			Doc: "Size of the server; another one resizes it."},
		{API: "imageRef", As: "imageRef", In: "image.id", Ref: "Image", Usable: true, Via: "rebuild",
			Doc: "Image of the root disk; another one builds the disk anew."},
		{API: "key_name", As: "keypairRef", Ref: "KeyPair", CreateOnly: true, Doc: "Key by which people log in."},
		{API: "user_data", Type: d.Secret, CreateOnly: true, WriteOnly: true, Normal: d.Base64, Max: 65535,
			Doc: "Script or data for cloud-init."},
		{API: "metadata", Type: d.Map, Normal: d.Subset, Via: "metadata", Doc: "Words that the server can read."},
		{API: "tags", Type: d.Strings, Normal: d.Set, Max: 60, Since: "2.52", Via: "tags",
			Doc: "Words by which servers are found, at most 50."},
		// Until 2.90 only administrators see it.
		{API: "hostname", WriteOnly: true, Max: 255, Pattern: "^[a-zA-Z0-9._-]*$", Since: "2.90",
			Doc: "Name that the server finds in its metadata."},
		{API: "status", As: "power", Later: true, Via: "power", Enum: []string{"running", "stopped"},
			Values: map[string]any{"running": "ACTIVE", "stopped": "SHUTOFF"}, Doc: "Whether it runs; left alone when empty."},
		{API: "locked", Type: d.Bool, Later: true, Via: "lock", Doc: "Whether only administrators can change it."},
	}, serverMake...),
	Actions: serverActions,
	State: d.State{Path: "status",
		Ready: []string{"ACTIVE", "SHUTOFF", "PAUSED", "SUSPENDED", "SHELVED", "SHELVED_OFFLOADED", "RESCUE"},
		Error: []string{"ERROR"}, Pending: []string{"BUILD"}, Deleted: []string{"DELETED", "SOFT_DELETED"},
		Fault: "fault.message", Answer: map[string]string{"VERIFY_RESIZE": "confirm"},
		// What nova-conductor and nova-scheduler have in hand when they die, nobody takes up again.
		Untaken: d.Sign{Path: "OS-EXT-STS:task_state", Value: "scheduling"},
		Unmade:  d.Sign{Path: "OS-SRV-USG:launched_at"}, UnmadeTakes: "delete_on_termination",
		Leaving: d.Sign{Path: "OS-EXT-STS:task_state", Value: "deleting"}, Release: "reset", Halted: paused},
	List: serverList,
	Sample: `flavorRef: {external: {name: m1.small}}
imageRef: {external: {name: debian-13}}
ports: [{networkRef: {external: {name: public}}}]`,
}

// paused is a guest that its hypervisor stopped, such as QEMU at an error of a disk: Nova notes the power state 3 and
// leaves the server ACTIVE (_sync_instance_power_state in nova/compute/manager.py).
var paused = d.Halt{In: "ACTIVE", Shows: d.Sign{Path: "OS-EXT-STS:power_state", Value: "3"},
	Idle: d.Sign{Path: "OS-EXT-STS:task_state"},
	Advice: "its hypervisor has paused it, as QEMU does when a disk is full or cannot be written: mend that, then " +
		"reboot the server hard"}
