package descriptor

import "strings"

// Field is one field that people declare.
type Field struct {
	// API is the name in the API's bodies, such as admin_state_up.
	API string
	// As is the name in spec.resource when it is not API in camel case; references get the ending Ref.
	As string
	// Type of the value.
	Type Type
	// Doc is a sentence for the reference.
	Doc string
	// Fields of an Object, or of each of Objects.
	Fields []Field
	// Required fields have no default and no meaning when they are missing.
	Required bool
	// CreateOnly fields cannot be changed after creation.
	CreateOnly bool
	// WriteOnly fields are not shown by the API: a change of what is declared is sent, and drift cannot be seen.
	WriteOnly bool
	// Sometimes fields are shown to administrators only, or in some states only: one that is not shown is as it was
	// declared, and one that is shown is compared.
	Sometimes bool
	// Later fields are not taken at creation and are set after it, by Via or Update.
	Later bool
	// Output is a value that the API makes: it is written to the Secret that the field names, and not to the status.
	Output bool
	// Local fields are for the hook of the kind and are neither sent nor compared.
	Local bool
	// Beside fields stand beside the envelope rather than in it.
	Beside bool
	// Flat is for an Object or Map whose entries stand in the place of the field itself. A Map shows what no other field
	// has.
	Flat bool
	// Const is a value that is always sent; the field is not declared.
	Const any
	// Default is sent at creation when the field is empty, where the API insists on a value.
	Default any
	// Own takes the id of the credentials' own user or project when the field is empty.
	Own bool
	// Values translates what is declared to what the API takes and shows, where that differs; nil is null.
	Values map[string]any
	// Nullable is for a reference or an object for which OpenStack takes null: people can declare that there is none.
	Nullable bool
	// Named takes the name of the Kubernetes object when the field is empty.
	Named bool
	// Enum, Pattern, Max (length of a string or value of a number) and Min (value) limit the value. HasMin tells that
	// Min is meant.
	Enum     []string
	Pattern  string
	Min, Max int64
	HasMin   bool
	// Ref is the kind that the field refers to; the body gets its id, or else its field By, such as the URL of a secret.
	Ref string
	By  string
	// Usable tells that the resource that the field refers to has to be usable before this one is made, such as an image
	// that has its data.
	Usable bool
	// Refs has the kind for each value of the field RefBy beside this one, where it depends on that.
	Refs  map[string]string
	RefBy string
	// Normal tells which values are the same.
	Normal Normal
	// In is the path of the value in an observed resource when it is not API, such as scope.project.id or
	// listeners.0.id; Self is the whole entry, in lists of bare values.
	In string
	// Via is how the field is changed when not with the others: the name of one of the kind's Actions.
	Via string
	// Since is the lowest microversion that knows the field.
	Since string
}

// NoneWord is what people set in a Nullable field to say that there is none.
const NoneWord = "none"

// Self is a path in an observed resource: the resource itself.
const Self = "."

// Type is the type of a field's value.
type Type string

// The types.
const (
	String Type = ""
	Int    Type = "int"
	Bool   Type = "bool"
	// Strings is a list of strings.
	Strings Type = "strings"
	// Map is an object with string values.
	Map Type = "map"
	// Object is one object, Objects a list of objects, with Fields.
	Object  Type = "object"
	Objects Type = "objects"
	// JSON is any value.
	JSON Type = "json"
	// Secret is a string that is kept in a Secret: spec.resource has its name and key, and the status never shows it.
	Secret Type = "secret"
)

// Normal is a rule by which values are compared.
type Normal string

// The rules. Without one, values are compared as they are.
const (
	// Set: the order of a list does not matter.
	Set Normal = "set"
	// CIDR: host bits and spelling of addresses do not matter.
	CIDR Normal = "cidr"
	// CIDRs: a list of CIDRs, in any order.
	CIDRs Normal = "cidrs"
	// MAC: case and separators do not matter.
	MAC Normal = "mac"
	// DNS: case and the last dot do not matter.
	DNS Normal = "dns"
	// Fold: case does not matter.
	Fold Normal = "fold"
	// Time: any spelling of the same time.
	Time Normal = "time"
	// Base64: the API has the value in base64.
	Base64 Normal = "base64"
	// JSONText: a string of JSON, in which order and spaces do not matter.
	JSONText Normal = "jsonText"
	// Subset: the resource may have more entries than are declared.
	Subset Normal = "subset"
)

// Spec is the name of the field in spec.resource.
func (f Field) Spec() string {
	switch {
	case f.As != "":
		return f.As
	case f.IsRef() && f.Type == Strings:
		return Camel(strings.TrimSuffix(strings.TrimSuffix(f.API, "s"), "_id")) + "Refs"
	case f.IsRef():
		return strings.TrimSuffix(Camel(strings.TrimSuffix(f.API, "_id")), "Ref") + "Ref"
	case f.Type == Secret:
		return Camel(f.API) + "Ref"
	default:
		return Camel(f.API)
	}
}

// IsRef tells whether the field refers to another resource.
func (f Field) IsRef() bool { return f.Ref != "" || f.RefBy != "" }

// Camel turns an API name into camel case: admin_state_up, router:external and mac_address become adminStateUp,
// routerExternal and macAddress. Initialisms that are not the first word are written as Kubernetes writes them:
// fixedIP.
func Camel(api string) string {
	words := strings.FieldsFunc(api, func(r rune) bool { return r == '_' || r == ':' || r == '-' || r == '.' })
	for i, w := range words {
		switch {
		case i == 0:
		case initialism(w) != "":
			words[i] = initialism(w)
		default:
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// Shown is the name of the field in status.resource and in filters, where references are ids.
func (f Field) Shown() string {
	name := strings.TrimSuffix(strings.TrimSuffix(f.Spec(), "Refs"), "Ref")
	if !f.IsRef() || name == f.Spec() {
		return f.Spec()
	}
	return name + "ID"
}

// initialism is how a word is written that is one; empty for other words.
func initialism(word string) string {
	switch word {
	case "dhcp", "dns", "dscp", "http", "id", "ip", "mac", "tls", "ttl", "url", "vlan":
		return strings.ToUpper(word)
	case "ips":
		return "IPs"
	case "qos":
		return "QoS"
	}
	return ""
}
