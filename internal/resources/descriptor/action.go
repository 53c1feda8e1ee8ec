package descriptor

// Request is a request that does not follow from the shape of a kind.
//
// Path is below the service's endpoint, Body is JSON. Placeholders in braces stand for values: {id}, the API name of
// a field (a reference is its id), and in the actions of fields {value}, {added} and {removed}. In a body a
// placeholder is a JSON value, and an entry whose value is missing is left out.
type Request struct {
	// Method is POST when empty.
	Method string
	Path   string
	Body   string
	// Since is the lowest microversion that has the request.
	Since string
}

// Action is how fields are changed that Update cannot change; a field names it in Via. {value} is the declared value.
type Action struct {
	Name string
	Request
	// Bodies are used in place of Body: one for each declared value.
	Bodies map[string]string
	// Slow tells that the resource comes to another state by it, which is waited for.
	Slow bool
	// Remove takes entries of a map or list away, and comes before the rest. {removed} in its body is the list of the
	// entries (of a map: of the keys) that are no longer declared; in its path it is one entry, and there is one request
	// for each. {removed: null} is an object in which each of the keys is null. Body is then for {added}: the entries
	// that are new or different.
	Remove *Request
}

// Action returns the action with that name.
func (k *Kind) Action(name string) (Action, bool) {
	for _, a := range k.Actions {
		if a.Name == name {
			return a, true
		}
	}
	return Action{}, false
}
