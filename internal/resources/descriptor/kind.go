package descriptor

import "time"

// Kind describes one kind of OpenStack resource.
type Kind struct {
	// Name of the Kubernetes kind, such as Network, and its plural in lower case.
	Name, Plural string
	// Short names for kubectl.
	Short []string
	// Doc is a sentence about what the resource is.
	Doc string
	// Service is the type of the service in the catalog, such as network.
	Service string
	// Shape of the resource; the zero value is a resource with an id of its own.
	Shape Shape
	// Path of the collection below the service's endpoint. A part in braces is the API name of a field: the resource is
	// below another one, as in /zones/{zone_id}/recordsets, and bodies do not have the field.
	Path string
	// Paths of a relation itself, or of a resource when that is not Path/{id}, as in /stacks/{stack_name}/{id}; the
	// first whose fields are all declared is taken.
	Paths []string
	// Item and Items are the envelopes of one resource and of a list. None is a body without envelope. Bare tells that
	// requests have no envelope though answers have.
	Item, Items string
	Bare        bool
	// ID is the API name of the field with the id; "id" when empty. A URL there stands for its last part.
	ID string
	// Key lists the API names of the fields that tell resources apart for people, such as name and domain_id.
	Key []string
	// Read is the microversion by which resources are listed and read: the one that shows all fields. A cloud that has
	// only lower ones is read by its highest.
	Read string
	// ReadOnly tells that OpenStack itself makes the resources: objects can only observe them.
	ReadOnly bool
	// Create and Update say how resources are made and changed, Actions what it takes for the fields that Update leaves.
	Create  Create
	Update  Update
	Actions []Action
	// Delete is how a resource is removed when not by DELETE of its path. With the method None nothing is sent: the API
	// has no deletion, and the object is just forgotten.
	Delete Request
	// DeleteQuery is added to a deletion, such as cascade=true. BeforeDelete is what is changed first, because the API
	// refuses to delete the resource otherwise.
	DeleteQuery  string
	BeforeDelete map[string]any
	// Marker says how a resource is known to be ours.
	Marker Marker
	// Fields of the resource that people declare.
	Fields []Field
	// OneOf lists groups of fields, by API name, of which exactly one must be declared, AtMostOne those of which several
	// exclude each other.
	OneOf, AtMostOne [][]string
	// After lists kinds of which objects that belong to the same thing are made first, although nothing refers to them.
	After []Sibling
	// Awaits lists refusals that mean that something is not there yet to which nothing refers that is declared.
	Awaits []Awaited
	// State says when the resource is usable.
	State State
	// List says how all resources are read.
	List List
	// Events are the prefixes of the notifications about the resource, such as identity.project.
	Events []string
	// GoesWith is a kind that fields refer to: when its resource is deleted this one goes with it, whatever happens.
	GoesWith string
	// Limits tells that the resources limit how many there may be of others, of any service. A singleton limits those of
	// its own service.
	Limits bool
	// Hook names the code for what a descriptor cannot say; empty for most kinds.
	Hook string
	// Sample is the spec.resource of the example in the documents, as YAML.
	Sample string
}

// Sibling is a kind of which objects have to be there before others that refer to the same object.
type Sibling struct {
	// Kind of them, and Of, the kind of what both refer to, by name.
	Kind, Of string
	// Unless is the field, as objects have it, with which it does not matter; one in another is named gateway.addresses.
	Unless string
	// Why completes the sentence: waits for Subnet x, as ...
	Why string
}

// Awaited is a refusal that goes away once something else is there.
type Awaited struct {
	// Says is a part of what the API says then.
	Says string
	// What is waited for, and Until, which completes the sentence "Waits until ...".
	What, Until string
}

// None is the envelope of bodies that have none.
const None = "-"

// Shape is the form in which an API offers a kind.
type Shape string

// The shapes.
const (
	// Resource has an id and is made in a collection.
	Resource Shape = ""
	// Relation has no id: it is a path that exists or does not, made by PUT (or POST) and removed by DELETE.
	Relation Shape = "relation"
	// Singleton always exists, such as a quota: it is read and set, and deletion sets it back.
	Singleton Shape = "singleton"
)

// Create is how a resource is made.
type Create struct {
	// Method is POST when empty. PUT makes the resource at Path/{id}, with the id that Marker or Key gives.
	Method string
	// Many sends a list of one resource in the envelope Items, and gets a list.
	Many bool
	// Path when it is not Kind.Path (or, of a relation, the one of Kind.Paths), and Body when it is not the declared
	// fields: JSON with placeholders as in Action.
	Path, Body string
}

// Update is how a resource is changed.
type Update struct {
	// Method is PUT, PATCH, or empty for resources that cannot be changed.
	Method string
	// JSONPatch sends a patch in the format of RFC 6902 rather than a part of the resource, with Glance's media type
	// application/openstack-images-v2.1-json-patch.
	JSONPatch bool
	// Whole sends all declared fields rather than those that changed.
	Whole bool
	// Since is the lowest microversion that changes resources in this way.
	Since string
}

// State says in which state a resource is usable.
type State struct {
	// Path of the field with the state; empty for resources that are usable as soon as they exist.
	Path string
	// Ready, Pending and Error are its values. A value in none of the lists is pending.
	Ready, Pending, Error []string
	// Fault is the path of the text that explains an error.
	Fault string
	// Messages is the path, with a query, under which the service keeps what it tells users of a resource, the latest
	// first, instead of that; MessagesSince is the lowest microversion that has it.
	Messages, MessagesSince string
	// Remedies say what has to be done before a resource in an error is made again.
	Remedies []Remedy
	// Deleted are values of resources that are gone though the API still shows them.
	Deleted []string
	// Answer has the names of actions that are sent when the resource comes to a state, such as the confirmation that a
	// resized server waits for.
	Answer map[string]string
	// Untaken is what a pending resource shows for as long as nobody has begun to make it. An order that stays so was lost
	// with the process that had it; there is nothing of the resource yet, so it is deleted and ordered again.
	Untaken Sign
	// Unmade is what a resource in an error shows when it has never been made. There is nothing in it, so it is deleted
	// and ordered again. UnmadeTakes is a field that lets other resources be deleted with it, which may have something in
	// them; one that declares it is left to people.
	Unmade      Sign
	UnmadeTakes string
	// Leaving is what a resource shows for as long as it is being deleted, beside its state or as its state. An order to
	// delete it can be lost, too; the service ignores or refuses a second one until the action Release has been sent.
	Leaving Sign
	Release string
	// Settles says where it shows that a resource which lists have from its order on is made.
	Settles Settles
	// Halted says where it shows that a resource stands still though its service calls it ready.
	Halted Halt
}

// Remedy is for errors of which the service says certain words.
type Remedy struct {
	// Words are a part of what it says.
	Words string
	// Advice completes: the X is in state Y: words; ..., then delete it to have it made again.
	Advice string
}

// Halt is a resource that nobody stopped and that does not run.
type Halt struct {
	// In is the state of which that counts.
	In string
	// Shows is the sign of it, and Idle the one that the service is not at work with the resource, which would explain it.
	Shows, Idle Sign
	// Advice completes: the X is in state Y, but ...
	Advice string
}

// Settles is a resource of another kind that shows whether one is made.
type Settles struct {
	// Service and Path of it, with fields of the one that is made, and the path of what shows it in the answer.
	Service, Path, Field string
	// Ready are the values by then.
	Ready []string
	// Advice completes: the X was given up before it was made; ...
	Advice string
}

// Sign is a value that a resource shows; an empty one is null, which is not the same as showing nothing there.
type Sign struct{ Path, Value string }

// List says how all resources of a kind are read.
type List struct {
	// Path of the list when it is not that of the collection, such as /servers/detail.
	Path string
	// Query is added to each list, such as all_tenants=true.
	Query string
	// AllProjects is the query by which an administrator sees every project's resources, or the header, such as
	// "X-Auth-All-Projects: true", which is then needed with each request for another project's resource.
	AllProjects string
	// Changes is the parameter that takes a time and lists what changed since, with what comes before the time, as in
	// updated_at=gte: of services that compare. ChangesSince is the lowest microversion that has it. With TellsGone
	// deleted ones are among them, in a state of State.Deleted.
	Changes, ChangesSince string
	TellsGone             bool
	// Page is the number of resources asked for at a time; 0 leaves it to the server. Pages are followed by the link to
	// the next one: the member next, links.next, or the entry of rel next in links or in a member that ends in _links.
	Page int
	// Filters are the fields that an import may filter by besides the key, by API name.
	Filters []string
	// Wrapped tells that each entry of the list has the envelope Item.
	Wrapped bool
	// Survey is for a list of one parent, of which there may be many.
	Survey Survey
	// Within is the longest time between two lists, where the cloud's period is longer; 0 leaves it to that. It is for few
	// resources on which many others depend.
	Within time.Duration
}

// Channel is where a resource carries its marker.
type Channel string

// The channels.
const (
	// MarkByID: the id is chosen by us; when the kind has a field for it and it is declared, that id is asked for and
	// the API refuses it when somebody else has it.
	MarkByID Channel = "id"
	// MarkByTag: one of the tags that the resource is made with.
	MarkByTag Channel = "tag"
	// MarkByTagLater: a tag that takes a second request. Until then the description has the marker, which is put right
	// after it.
	MarkByTagLater Channel = "tagLater"
	// MarkByMetadata: an item of metadata or properties.
	MarkByMetadata Channel = "metadata"
	// MarkByExtra: an attribute that the API stores without knowing it.
	MarkByExtra Channel = "extra"
	// MarkByKey: the API allows the key once, or has no place for a marker. The intent is recorded after nobody was seen
	// to have the key.
	MarkByKey Channel = "key"
)

// Marker says how a resource is known to be ours.
type Marker struct {
	Channel Channel
	// Field that carries the marker, by API name: the id as a request to create asks for it, the list of tags, the
	// metadata or the extra attribute.
	Field string
	// Single tells that an entry of the tags or metadata can be deleted by itself, at the path of the resource followed by
	// Field and the entry. Otherwise the whole Field is sent without the marker when it is taken off.
	Single bool
}

// Field returns the field with that API name, also when it is an entry of a flat one.
func (k *Kind) Field(api string) (Field, bool) {
	for _, f := range k.Fields {
		if f.API == api {
			return f, true
		}
		for _, inner := range f.Fields {
			if f.Flat && inner.API == api {
				inner.In = f.API + "." + inner.API
				return inner, true
			}
		}
	}
	return Field{}, false
}

// Keyed kinds have no id of their own: the values of their key tell them apart.
func (k *Kind) Keyed() bool { return k.Shape != Resource }

// IDField is the API name of the field with the id.
func (k *Kind) IDField() string {
	if k.ID == "" {
		return "id"
	}
	return k.ID
}
