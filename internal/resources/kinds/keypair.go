package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// KeyPair is the public key by which people log in to servers. Nova keeps it for a user, and its name is its id.
var KeyPair = d.Kind{
	Name: "KeyPair", Plural: "keypairs", Service: "compute", Path: "/os-keypairs", Item: "keypair", Items: "keypairs",
	ID:  "name",
	Doc: "KeyPair is the public key by which people log in to servers. It belongs to the cloud's user.",
	Key: []string{"name"}, Read: "2.35", Marker: byKey, Events: []string{"keypair"},
	Fields: []d.Field{
		create(name(255)),
		// Since 2.92 Nova makes no keys; before, it would show the private one in the answer alone.
		{API: "public_key", Required: true, CreateOnly: true, Max: 16384,
			Doc: "Public key, as in authorized_keys, or a certificate."},
		{API: "type", CreateOnly: true, Enum: []string{"ssh", "x509"}, Since: "2.2",
			Doc: "Type of the key; ssh when empty."},
	},
	List:   d.List{Wrapped: true, Page: 1000},
	Sample: `publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl someone`,
}
