package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ImageMember shows an image to a project. Only that project, or an administrator, can accept it.
var ImageMember = d.Kind{
	Name: "ImageMember", Plural: "imagemembers", Service: "image", Path: "/images/{image_id}/members", Item: d.None,
	Items: "members",
	Doc:   "ImageMember shows an image to a project.", ID: "member_id", Key: []string{"image_id", "member"},
	Marker: byKey, Update: d.Update{Method: "PUT"}, Events: []string{"image.member"},
	Fields: []d.Field{
		{API: "image_id", Ref: "Image", Required: true, CreateOnly: true, Doc: "Image that is shown."},
		{API: "member", In: "member_id", As: "projectRef", Ref: "Project", Required: true, CreateOnly: true,
			Doc: "Project that sees it."},
		{API: "status", Later: true, Enum: []string{"accepted", "pending", "rejected"},
			Doc: "Whether the project lists it."},
	},
	Sample: `imageRef: {name: appliance}
projectRef: {name: shop}`,
}
