package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// KeyManagerContainer groups secrets, such as a certificate and its key.
var KeyManagerContainer = d.Kind{
	Name: "KeyManagerContainer", Plural: "keymanagercontainers", Service: "key-manager", Path: "/containers",
	Item: d.None, Items: "containers",
	Doc: "KeyManagerContainer groups secrets, such as a certificate and its key.", ID: "container_ref",
	// Names may be taken twice, and there is no place for a marker.
	Key: []string{"name"}, Marker: byKey,
	Fields: []d.Field{
		create(name(255)),
		{API: "type", Required: true, CreateOnly: true, Enum: []string{"certificate", "generic", "rsa"},
			Doc: "What it groups."},
		{API: "secret_refs", As: "secrets", Type: d.Objects, CreateOnly: true, Normal: d.Set,
			Doc: "The secrets.", Fields: []d.Field{
				{API: "name", Max: 255, Doc: "Part that it plays, such as certificate or private_key."},
				{API: "secret_ref", As: "secretRef", Ref: "KeyManagerSecret", By: "secret_ref", Required: true,
					Doc: "Secret that plays it."}}},
	},
	State: d.State{Path: "status", Ready: []string{"ACTIVE"}, Pending: []string{"PENDING"}, Error: []string{"ERROR"}},
	List:  d.List{Page: 100},
	Sample: `type: certificate
secrets:
- {name: certificate, secretRef: {name: web-certificate}}
- {name: private_key, secretRef: {name: web-key}}`,
}
