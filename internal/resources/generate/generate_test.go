package main

import (
	"os"
	"path/filepath"
	"testing"

	"stackwright.dev/kit/kittest"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// thing has a field of each type, with each kind of bound.
func thing() *d.Kind {
	return &d.Kind{
		Name: "Thing", Plural: "things", Short: []string{"th"}, Service: "store", Path: "/shelves/{shelf_id}/things",
		Doc: "Thing is what lies on a shelf.", Key: []string{"name", "shelf_id"}, State: d.State{Path: "status"},
		Marker: d.Marker{Channel: d.MarkByTag, Field: "tags"}, OneOf: [][]string{{"size", "weight"}},
		List: d.List{Filters: []string{"host_ip"}},
		Fields: []d.Field{
			{API: "name", Named: true, Max: 64, Doc: "Name of it."},
			{API: "shelf_id", Ref: "Shelf", Required: true, CreateOnly: true, Doc: "Shelf on which it is."},
			{API: "size", Type: d.Int, HasMin: true, Max: 9, CreateOnly: true, Doc: "How large it is."},
			{API: "weight", Type: d.Int, Min: 2, Since: "2.7", Doc: "How heavy it is."},
			{API: "count", Type: d.Int, Required: true, Doc: "How many there are."},
			{API: "fragile", Type: d.Bool, Doc: "Whether it breaks."},
			{API: "type", Const: "thing"},
			{API: "host_ip", Min: 7, Max: 15, Pattern: `^[0-9.]+$`, Doc: "Address of it."},
			{API: "colour", Enum: []string{"red", "true", "dark-green"}, Required: true, Doc: "Colour of it."},
			{API: "tags", Type: d.Strings, Normal: d.Set, Max: 60, Doc: "Words by which it is found."},
			{API: "steps", Type: d.Strings, Required: true, Doc: "What is done with it, in this order."},
			{API: "owner_ids", Type: d.Strings, Ref: "User", CreateOnly: true, Doc: "Users who have it."},
			{API: "properties", Type: d.Map, CreateOnly: true, Doc: "Anything else."},
			{API: "hints", Type: d.JSON, CreateOnly: true, Doc: "Hints for where to put it."},
			{API: "options", Type: d.JSON, Doc: "Options of it."},
			{API: "password", Type: d.Secret, WriteOnly: true, Doc: "Word that opens it."},
			{API: "maker_id", Ref: "User", Nullable: true, Doc: "Who made it."},
			{API: "lock", Type: d.Object, Nullable: true, Doc: "What it is locked by.", Fields: []d.Field{
				{API: "key_id", Ref: "Key", Required: true, Doc: "Key that opens it."},
				{API: "turns", Type: d.Int, Doc: "How often it turns."},
			}},
			{API: "box", Type: d.Object, Doc: "What it is in.", Fields: []d.Field{
				{API: "import", CreateOnly: true, Doc: "Where it comes from."},
				{API: "lid", Type: d.Bool, Required: true, CreateOnly: true, Doc: "Whether it has a lid."},
			}},
			{API: "parts", Type: d.Objects, CreateOnly: true, Doc: "What it is made of.", Fields: []d.Field{
				{API: "mac_address", Normal: d.MAC, Doc: "Address of the part."},
			}},
		},
		Sample: "colour: red\ncount: 1",
	}
}

func TestTypes(t *testing.T) {
	source, err := fill("types.go.tmpl", newTypes([]*d.Kind{thing()}))
	if err != nil {
		t.Fatal(err)
	}
	kittest.Golden(t, "testdata/thing.go.golden", string(source))
}

func TestPage(t *testing.T) {
	page, err := fill("page.md.tmpl", newPage(thing(), []*d.Kind{thing()}))
	if err != nil {
		t.Fatal(err)
	}
	kittest.Golden(t, "testdata/thing.md.golden", string(page))
}

func TestGoNames(t *testing.T) {
	for spec, want := range map[string]string{
		"url": "URL", "projectRef": "ProjectRef", "dnsNameservers": "DNSNameservers", "remoteIPPrefix": "RemoteIPPrefix",
		"minDiskGB": "MinDiskGB", "enableDhcp": "EnableDHCP", "enableDHCP": "EnableDHCP",
		"ipv6AddressMode": "IPv6AddressMode",
		"vipSubnetRef":    "VIPSubnetRef", "id": "ID", "qosPolicyRef": "QoSPolicyRef", "idle": "Idle", "vcpus": "VCPUs",
	} {
		if got := goName(spec); got != want {
			t.Errorf("the Go name of %s is %s, want %s", spec, got, want)
		}
	}
}

// What a rule compares and when it lets a change pass is proved on a real API server; here is how it is written.
func TestConstantRules(t *testing.T) {
	for name, c := range map[string]struct {
		path []d.Field
		want string
	}{
		"required": {[]d.Field{{API: "a", Required: true}}, "self.a == oldSelf.a"},
		"optional": {[]d.Field{{API: "a"}}, "has(self.a) ? has(oldSelf.a) && self.a == oldSelf.a : !(has(oldSelf.a))"},
		"reserved": {[]d.Field{{API: "namespace", Required: true}}, "self.__namespace__ == oldSelf.__namespace__"},
		"nested": {[]d.Field{{API: "a"}, {API: "b", Required: true}},
			"has(self.a) ? has(oldSelf.a) && self.a.b == oldSelf.a.b : !(has(oldSelf.a))"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := constant(c.path).Rule; got != c.want {
				t.Errorf("rule is\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A type may not have the name of another kind's, or one of them would vanish.
func TestTypeNamesAreUnique(t *testing.T) {
	taken := map[string]bool{}
	for _, k := range newTypes(kinds.Served()).Kinds {
		names := []string{k.Name, k.Name + "List", k.Name + "Spec"}
		for _, s := range k.Structs {
			names = append(names, s.Name)
		}
		for _, name := range names {
			if taken[name] {
				t.Errorf("two types have the name %s; give the field of one another name with As", name)
			}
			taken[name] = true
		}
	}
}

func TestRunRemovesWhatIsGone(t *testing.T) {
	root := t.TempDir()
	put := func(path, content string) string {
		t.Helper()
		if err := write(filepath.Join(root, path), []byte(content)); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(root, path)
	}
	gone := []string{
		put(types+"/zz_generated.rack.go", "// Code "+banner+". DO NOT EDIT."),
		put(pages+"/thing.md", "<!-- "+banner+"/thing.go -->"),
		put(crds+"/"+group+"_things.yaml", "labels:\n  "+label+": rack\n"),
	}
	stay := []string{
		put(types+"/zz_generated.deepcopy.go", "// Code generated by controller-gen. DO NOT EDIT."),
		put(pages+"/galera.md", "# Galera"),
		put(crds+"/"+group+"_clouds.yaml", "labels:\n  "+label+": "+anyService+"\n"),
		put(crds+"/"+group+"_projects.yaml", "labels:\n  "+label+": identity\n"),
	}
	if err := run(root); err != nil {
		t.Fatal(err)
	}
	for _, path := range gone {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range append(stay, filepath.Join(root, pages, "project.md")) {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
