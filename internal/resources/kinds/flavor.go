package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Flavor is a size of servers.
var Flavor = d.Kind{
	Name: "Flavor", Plural: "flavors", Service: "compute", Path: "/flavors", Item: "flavor", Items: "flavors",
	Doc: "Flavor is a size of servers.", Key: []string{"name"}, Events: []string{"flavor"},
	// 2.61 shows extra specs in lists, 2.75 a swap of 0 as a number.
	Read: "2.75", Update: d.Update{Method: "PUT"}, Marker: d.Marker{Channel: d.MarkByID, Field: "id"},
	Fields: []d.Field{
		create(name(255)),
		{API: "id", CreateOnly: true, Max: 255, Pattern: "^[a-zA-Z0-9._-]([a-zA-Z0-9. _-]*[a-zA-Z0-9._-])?$",
			Doc: "Id in OpenStack, for programs that expect a certain one; made from the object when empty."},
		{API: "description", Max: 65535, Since: "2.55", Doc: "A sentence for people."},
		{API: "ram", Type: d.Int, Required: true, CreateOnly: true, Min: 1, HasMin: true, Max: maxInt,
			Doc: "Memory in MiB."},
		{API: "vcpus", Type: d.Int, Required: true, CreateOnly: true, Min: 1, HasMin: true, Max: maxInt,
			Doc: "Number of processors."},
		{API: "disk", Type: d.Int, Required: true, CreateOnly: true, HasMin: true, Max: maxInt,
			Doc: "Size of the root disk in GiB; 0 takes the size of the image."},
		{API: "OS-FLV-EXT-DATA:ephemeral", As: "ephemeral", Type: d.Int, CreateOnly: true, HasMin: true, Max: maxInt,
			Doc: "Size of a second disk in GiB that is gone with the server."},
		{API: "swap", Type: d.Int, CreateOnly: true, HasMin: true, Max: maxInt, Doc: "Size of a disk for swapping in MiB."},
		{API: "os-flavor-access:is_public", As: "isPublic", Type: d.Bool, CreateOnly: true,
			Doc: "Whether all projects may use it; when not, FlavorAccess says which may."},
		{API: "extra_specs", Type: d.Map, Later: true, Via: "extra_specs",
			Doc: "What the scheduler and the hypervisor are told, such as hw:cpu_policy."},
	},
	Actions: []d.Action{{Name: "extra_specs",
		Request: d.Request{Path: "/flavors/{id}/os-extra_specs", Body: `{"extra_specs": {added}}`},
		Remove:  &d.Request{Method: "DELETE", Path: "/flavors/{id}/os-extra_specs/{removed}"}}},
	List: d.List{Path: "/flavors/detail", Query: "is_public=None", Page: 1000},
	Sample: `ram: 2048
vcpus: 1
disk: 20
extraSpecs: {"hw:cpu_policy": shared}`,
}
