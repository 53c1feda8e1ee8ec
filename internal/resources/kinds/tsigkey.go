package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// TSIGKey is a word by which servers of DNS know each other.
var TSIGKey = d.Kind{
	Name: "TSIGKey", Plural: "tsigkeys", Service: "dns", Path: "/tsigkeys", Item: d.None, Items: "tsigkeys",
	Doc: "TSIGKey is a word by which servers of DNS know each other.", Key: []string{"name"}, Marker: byKey,
	Update: d.Update{Method: "PATCH"}, Events: []string{"dns.tsigkey"},
	Fields: []d.Field{
		name(160),
		{API: "algorithm", Required: true, Doc: "Algorithm of the signatures.",
			Enum: []string{"hmac-md5", "hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512"}},
		{API: "secret", Type: d.Secret, Required: true, WriteOnly: true, Max: 160, Doc: "The word, in base64."},
		{API: "scope", Required: true, Enum: []string{"POOL", "ZONE"}, Doc: "What it is good for."},
		{API: "resource_id", Required: true, RefBy: "scope", Refs: map[string]string{"ZONE": "Zone"},
			Doc: "Zone, or the id of a pool."},
	},
	List: d.List{Page: 1000, Filters: []string{"algorithm", "scope"}},
	Sample: `algorithm: hmac-sha256
secretRef: {name: transfer, key: tsig}
scope: ZONE
resourceRef: {name: example-org}`,
}
