package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// GroupMembership puts a user into a group.
var GroupMembership = d.Kind{
	Name: "GroupMembership", Plural: "groupmemberships", Service: "identity", Shape: d.Relation,
	Doc: "GroupMembership puts a user into a group.", Key: []string{"group_id", "user_id"},
	Path: "/groups/{group_id}/users", Items: "users", Paths: []string{"/groups/{group_id}/users/{user_id}"},
	Create: d.Create{Method: "PUT"}, Events: []string{"identity.group"},
	Fields: []d.Field{
		{API: "group_id", Ref: "Group", Required: true, CreateOnly: true, Doc: "Group that gets the user."},
		{API: "user_id", In: "id", Ref: "User", Required: true, CreateOnly: true, Doc: "User that comes into the group."},
	},
	Sample: `groupRef: {name: shop}
userRef: {name: shop-admin}`,
}
