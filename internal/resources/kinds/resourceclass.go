package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ResourceClass is something that hosts have and servers take, such as a number of accelerators.
var ResourceClass = d.Kind{
	Name: "ResourceClass", Plural: "resourceclasses", Service: "placement", Shape: d.Relation,
	Doc:  "ResourceClass is something that hosts have and servers take, such as accelerators of a type.",
	Key:  []string{"name"},
	Path: "/resource_classes", Items: "resource_classes", Paths: []string{"/resource_classes/{name}"},
	Read: "1.7", Create: d.Create{Method: "PUT"}, Delete: d.Request{Since: "1.2"},
	Fields: []d.Field{{API: "name", Required: true, CreateOnly: true, Max: 255, Pattern: "^CUSTOM_[A-Z0-9_]+$",
		Since: "1.7",
		Doc:   "Name of the class, which begins with CUSTOM_."}},
	Sample: `name: CUSTOM_FPGA`,
}
