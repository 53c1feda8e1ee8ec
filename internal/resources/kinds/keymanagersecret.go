package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// KeyManagerSecret is something secret that Barbican keeps, for people and for other services.
var KeyManagerSecret = d.Kind{
	Name: "KeyManagerSecret", Plural: "keymanagersecrets", Service: "key-manager", Path: "/secrets", Item: d.None,
	Items: "secrets",
	Doc:   "KeyManagerSecret is something secret that Barbican keeps, for people and for other services.",
	ID:    "secret_ref",
	// Names may be taken twice, and lists do not show metadata, which would be the place for a marker.
	Key: []string{"name"}, Marker: byKey,
	Fields: []d.Field{
		create(name(255)),
		{API: "payload", Type: d.Secret, Required: true, CreateOnly: true, WriteOnly: true, Max: 20000,
			Doc: "What is kept."},
		{API: "payload_content_type", Required: true, In: "content_types.default", CreateOnly: true, Max: 255,
			Doc: "Type of it, such as text/plain or application/octet-stream."},
		{API: "payload_content_encoding", CreateOnly: true, WriteOnly: true, Enum: []string{"base64"},
			Doc: "How bytes are written in the Secret."},
		{API: "secret_type", CreateOnly: true, Doc: "What it is; opaque when empty.",
			Enum: []string{"certificate", "opaque", "passphrase", "private", "public", "symmetric"}},
		{API: "algorithm", CreateOnly: true, Max: 255, Doc: "What it is for, such as aes."},
		{API: "bit_length", Type: d.Int, CreateOnly: true, Min: 1, HasMin: true, Max: 32767, Doc: "Length of the key."},
		{API: "mode", CreateOnly: true, Max: 255, Doc: "How it is used, such as cbc."},
		{API: "expiration", CreateOnly: true, Max: 64, Normal: d.Time,
			Doc: "Time after which it is void, as 2030-01-01T00:00:00Z."},
	},
	State: d.State{Path: "status", Ready: []string{"ACTIVE"}, Pending: []string{"PENDING"}, Error: []string{"ERROR"}},
	List:  d.List{Page: 100, Filters: []string{"secret_type", "algorithm", "mode"}},
	Sample: `payloadRef: {name: web-certificate, key: tls.p12}
payloadContentType: application/octet-stream
payloadContentEncoding: base64`,
}
