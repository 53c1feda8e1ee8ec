package schema

import (
	"encoding/json"
	"fmt"
	"io/fs"
)

// Field is what a schema says about a field.
type Field struct {
	Type     string `json:"type"`
	Required bool   `json:"required"`
	Max      *int64 `json:"max"`
	Min      *int64 `json:"min"`
	Enum     []any  `json:"enum"`
	Since    string `json:"since"`
	// Fields are what is in an object, or in each of a list of them; empty when the schema does not tell.
	Fields map[string]Field `json:"fields"`
}

// Resource is what requests take to make and to change a resource, and what answers show, by the API's names.
type Resource struct {
	Create map[string]Field `json:"create"`
	Update map[string]Field `json:"update"`
	Read   map[string]Field `json:"read"`
}

// Schemas are the resources of services, by the service's type and the resource's name.
type Schemas map[string]map[string]Resource

// Load reads the schemas in a folder.
func Load(folder fs.FS) (Schemas, error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	all := Schemas{}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		var service map[string]Resource
		if err := json.Unmarshal(text, &service); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		all[name[:len(name)-len(".json")]] = service
	}
	return all, nil
}
