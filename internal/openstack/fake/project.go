package fake

import (
	"cmp"
	"strconv"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// owners are the names under which services show the project of a resource.
var owners = []string{"project_id", "tenant_id", "os-vol-tenant-attr:tenant_id",
	"os-extended-snapshot-attributes:project_id", "os-backup-project-attr:project_id", "project"}

// projectIn is the project that a resource shows, that of the credentials when it shows none.
func projectIn(fields map[string]any) (project string) {
	for _, name := range owners {
		id, _ := fields[name].(string)
		project = cmp.Or(project, id)
	}
	return cmp.Or(project, Project)
}

// sees tells whether a request is for resources of a project: those of other projects than that of the credentials it
// has to ask for, where the service has a switch for that.
func (q *question) sees(k *d.Kind, project string) bool {
	if k.List.AllProjects == "" || project == Project {
		return true
	}
	var on string
	if name, _, ok := strings.Cut(k.List.AllProjects, ": "); ok {
		on = q.Header.Get(name)
	} else {
		name, _, _ := strings.Cut(k.List.AllProjects, "=")
		on = q.query.Get(name)
	}
	all, err := strconv.ParseBool(on)
	return err == nil && all
}

// byHeader tells whether the switch is a header, which each request needs for another project's resource.
func byHeader(k *d.Kind) bool { return strings.Contains(k.List.AllProjects, ": ") }
