package arch

import (
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	ours = "stackwright.dev/"
	main = "stackwright.dev/stackwright/"
	kit  = "stackwright.dev/kit"
)

// layer is the part of the repository that a package belongs to, which decides what it may import.
func layer(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, main)
	if !ok {
		rest = strings.TrimPrefix(importPath, ours)
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}

// mayImport says which of our layers a layer may use; everything may use packages of its own layer.
var mayImport = map[string][]string{
	"api":        {"kit/owner"},
	"kit":        {},
	"charts":     {},
	"images":     {},
	"releases":   {},
	"internal":   {"api", "kit", "charts", "images", "releases"},
	"cmd":        {"internal", "api", "kit"},
	"test":       {"internal", "api", "kit", "images", "releases"},
	"devcluster": {},
	"tools":      {},
}

// foreign says which modules of others a layer may use, by prefix; layers that are not here may use any.
var foreign = map[string][]string{
	// The type for any JSON in a CRD is in none of the small modules.
	"api": {"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"},
	// JSON in canonical form: encoding/json/jsontext of later versions of Go.
	"kit": {"k8s.io/", "sigs.k8s.io/", "github.com/go-logr/", "github.com/prometheus/", "github.com/google/uuid",
		"golang.org/x/", "gopkg.in/evanphx/json-patch.v4", "github.com/google/go-cmp/",
		"github.com/go-json-experiment/json/jsontext"},
}

// inTests says what tests of a layer may import that its packages may not, by prefix.
var inTests = map[string][]string{
	"charts": {main + "internal/", main + "api/", kit}, // a chart is compared with what operators make
	"test":   {"github.com/gophercloud/"},              // a story plays a client that others wrote
}

func TestImports(t *testing.T) {
	ofTests := 0
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			if why := forbidden(p.ImportPath, i); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, i, why)
			}
		}
		for _, i := range slices.Concat(p.TestImports, p.XTestImports) {
			ofTests++
			if why := forbiddenInTests(p.ImportPath, i); why != "" {
				t.Errorf("a test of %s imports %s: %s", p.ImportPath, i, why)
			}
		}
	}
	if ofTests == 0 {
		t.Error("found no test that imports anything")
	}
}

// forbiddenInTests tells why tests of a package may not import another; empty when they may.
func forbiddenInTests(importer, imported string) string {
	if slices.ContainsFunc(inTests[layer(importer)], func(p string) bool { return strings.HasPrefix(imported, p) }) {
		return ""
	}
	return forbidden(importer, imported)
}

// forbidden tells why a package may not import another; empty when it may.
func forbidden(importer, imported string) string {
	from := layer(importer)
	if !strings.HasPrefix(imported, ours) {
		return forbiddenForeign(importer, imported)
	}
	to := layer(imported)
	switch {
	case to == "cmd":
		return "nothing imports cmd; move what is shared to internal"
	case from == "internal" && sibling(importer, imported):
		return "services do not know each other; say what is needed in the definition, or move it to internal/service"
	case from == to || slices.Contains(mayImport[from], to):
		return ""
	case slices.ContainsFunc(mayImport[from], func(p string) bool { return ours+p == imported }):
		return ""
	}
	return "arrows go cmd -> internal -> api, kit"
}

func forbiddenForeign(importer, imported string) string {
	host, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(host, ".") {
		return ""
	}
	if strings.HasPrefix(imported, "github.com/gophercloud/") && !strings.HasPrefix(importer, main+"internal/openstack") {
		return "internal/openstack is the only door to OpenStack APIs"
	}
	list, ok := foreign[layer(importer)]
	if ok && !slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(imported, p) }) {
		return "this layer keeps its dependencies few; allowed are " + strings.Join(list, ", ")
	}
	return ""
}

// sibling tells whether both packages belong to services, and not to the same one.
func sibling(a, b string) bool {
	const services = main + "internal/services/"
	x, isX := strings.CutPrefix(a, services)
	y, isY := strings.CutPrefix(b, services)
	x, _, _ = strings.Cut(x, "/")
	y, _, _ = strings.Cut(y, "/")
	return isX && isY && x != y
}

func TestForbidden(t *testing.T) {
	for name, c := range map[string]struct {
		importer, imported string
		want               bool
	}{
		"api owner":        {main + "api/infra/v1alpha1", kit + "/owner", false},
		"api step":         {main + "api/infra/v1alpha1", kit + "/step", true},
		"api client":       {main + "api/infra/v1alpha1", "k8s.io/client-go/rest", true},
		"kit internal":     {kit + "/step", main + "internal/pki", true},
		"kit itself":       {kit + "/step", kit + "/gate", false},
		"kit cobra":        {kit + "/step", "github.com/spf13/cobra", true},
		"internal cmd":     {main + "internal/cli", main + "cmd/stackwright", true},
		"service sibling":  {main + "internal/services/nova", main + "internal/services/glance", true},
		"service itself":   {main + "internal/services/nova", main + "internal/services/nova/cell", false},
		"service registry": {main + "internal/services", main + "internal/services/nova", false},
		"cloud door":       {main + "internal/services/nova", "github.com/gophercloud/gophercloud/v2", true},
		"standard library": {main + "api/infra/v1alpha1", "strings", false},
	} {
		t.Run(name, func(t *testing.T) {
			if why := forbidden(c.importer, c.imported); (why != "") != c.want {
				t.Errorf("forbidden says %q, want a reason: %t", why, c.want)
			}
		})
	}
}

func TestForbiddenInTests(t *testing.T) {
	for name, c := range map[string]struct {
		importer, imported string
		want               bool
	}{
		"service sibling":   {main + "internal/services/nova", main + "internal/services/glance", true},
		"kit internal":      {kit + "/step", main + "internal/pki", true},
		"charts internal":   {main + "charts", main + "internal/operator", false},
		"charts cmd":        {main + "charts", main + "cmd/stackwright", true},
		"story, cloud door": {main + "test/e2e", "github.com/gophercloud/gophercloud/v2", false},
		"cloud door":        {main + "internal/services/nova", "github.com/gophercloud/gophercloud/v2", true},
	} {
		t.Run(name, func(t *testing.T) {
			if why := forbiddenInTests(c.importer, c.imported); (why != "") != c.want {
				t.Errorf("forbiddenInTests says %q, want a reason: %t", why, c.want)
			}
		})
	}
}

func TestPackageNames(t *testing.T) {
	bad := []string{"common", "util", "utils", "helper", "helpers", "types", "base", "manager", "misc", "shared"}
	for _, p := range packages(t) {
		if slices.Contains(bad, p.Name) || slices.Contains(bad, path.Base(p.ImportPath)) {
			t.Errorf("package %s says nothing about what is in it; name the one thing it has", p.ImportPath)
		}
		if strings.ToLower(p.Name) != p.Name || strings.Contains(strings.TrimSuffix(p.Name, "_test"), "_") {
			t.Errorf("package %s is not one lower-case word", p.ImportPath)
		}
	}
}
