package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// EC2Credential is a pair of keys for the APIs of EC2 and S3.
var EC2Credential = d.Kind{
	Name: "EC2Credential", Plural: "ec2credentials", Service: "identity", Path: "/credentials",
	Item: "credential", Items: "credentials", Key: []string{"blob"}, Update: d.Update{Method: "PATCH"},
	Doc:    "EC2Credential is a pair of keys for the APIs of EC2 and S3. Keystone makes its id from the access key.",
	Marker: byKey, Events: []string{"identity.credential"}, Hook: "ec2",
	Fields: []d.Field{
		{API: "user_id", Ref: "User", Own: true, CreateOnly: true,
			Doc: "User whom the keys stand for; that of the cloud's credentials when empty."},
		{API: "project_id", Ref: "Project", Required: true, CreateOnly: true, Doc: "Project in which the keys are good."},
		{API: "blob", As: "keysRef", Type: d.Secret, Required: true, WriteOnly: true,
			Doc: "Secret whose key holds both keys as JSON: {\"access\": \"...\", \"secret\": \"...\"}."},
		{API: "type", Const: "ec2"},
	},
	List: d.List{Query: "type=ec2"},
	Sample: `projectRef: {name: shop}
keysRef: {name: shop-s3, key: keys.json}`,
}
