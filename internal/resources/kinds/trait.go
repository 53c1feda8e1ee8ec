package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Trait is a property that hosts have or have not.
var Trait = d.Kind{
	Name: "Trait", Plural: "traits", Service: "placement", Shape: d.Relation,
	Doc: "Trait is a property that hosts have or have not.", Key: []string{"name"},
	Path: "/traits", Items: "traits", Paths: []string{"/traits/{name}"}, Read: "1.6", Create: d.Create{Method: "PUT"},
	Delete: d.Request{Since: "1.6"},
	Fields: []d.Field{{API: "name", In: d.Self, Required: true, CreateOnly: true, Max: 255,
		Pattern: "^CUSTOM_[A-Z0-9_]+$", Since: "1.6",
		Doc: "Name of the trait, which begins with CUSTOM_."}},
	List:   d.List{Query: "name=startswith:CUSTOM_"},
	Sample: `name: CUSTOM_SSD`,
}
