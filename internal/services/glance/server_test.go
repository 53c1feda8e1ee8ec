//go:build apiserver

package glance_test

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/releases"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func TestServerPromises(t *testing.T) { kind().ServerPromises(t, live) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"database":          {"spec: {database: null}", "spec.database: Required value"},
			"identity":          {"spec: {identity: null}", "spec.identity: Required value"},
			"no keystone":       {"spec: {identity: {keystone: ''}}", "spec.identity.keystone"},
			"replicas":          {"spec: {replicas: -1}", "spec.replicas"},
			"name":              {"metadata: {name: 1st}", "beginning with a letter"},
			"no store":          {"spec: {stores: []}", "spec.stores"},
			"two of one name":   {"spec: {stores: [{name: a, file: {}}, {name: a, file: {}}]}", "Duplicate value"},
			"no kind of store":  {"spec: {stores: [{name: a}]}", "set exactly one of file, rbd, s3 and swift"},
			"two kinds":         {"spec: {stores: [{name: a, file: {}, rbd: {secret: s, pool: p}}]}", "set exactly one of"},
			"name of a store":   {"spec: {stores: [{name: A_1, file: {}}]}", "lower-case letters, digits and dashes"},
			"name of a section": {"spec: {stores: [{name: database, file: {}}]}", "has a section of that name"},
			"small store":       {"spec: {stores: [{name: a, file: {size: 1Mi}}]}", "size is at least 100Mi"},
			"access mode":       {"spec: {stores: [{name: a, file: {accessMode: Any}}]}", "supported values"},
		})
		for want, file := range map[string]map[string]any{
			"size cannot become less":      {"size": "10Gi"},
			"accessMode cannot be changed": {"size": "20Gi", "accessMode": "ReadWriteMany"},
		} {
			glance := p.Object(kind().Object)
			stores := []any{map[string]any{"name": "images", "file": file}}
			servicetest.Must(t, unstructured.SetNestedSlice(glance.Object, stores, "spec", "stores"))
			servicetest.Denied(t, servicetest.Update(p, glance), want)
		}
		for _, other := range []string{"rbd: {secret: s, pool: p}",
			"s3: {endpoint: 'https://s3.test', bucket: a-b, secret: s}",
			"swift: {authURL: 'https://k.test/v3', container: c, secret: s}"} {
			glance := p.Object(kind().Object)
			wrong := stores(t, "{name: images, "+other+"}")
			servicetest.Must(t, unstructured.SetNestedField(glance.Object, wrong, "spec", "stores"))
			servicetest.Denied(t, servicetest.Update(p, glance), "the kind of a store cannot be changed")
			p.Change(kind().Object, "spec.stores", stores(t, "{name: images, file: {}}, {name: far, "+other+"}"))
			p.Change(kind().Object, "spec.stores", stores(t, "{name: images, file: {}}"))
		}
	})
}

// stores are those that YAML says.
func stores(t *testing.T, text string) any {
	t.Helper()
	var out any
	servicetest.Must(t, yaml.Unmarshal([]byte("["+text+"]"), &out))
	return out
}

// A bucket is told by what a person can read off its endpoint, and a cache and a quota by sizes.
func TestServerRefusesBucketsAndSizes(t *testing.T) {
	bucket := func(patch string) string { return "spec: {stores: [{name: far, s3: {" + patch + "}}]}" }
	const path = "endpoint is an address without a path"
	const endpoint, rest = "endpoint: 'https://s3.example.org', ", "bucket: images, secret: s"
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"two kinds": {"spec: {stores: [{name: a, file: {}, s3: {" + endpoint + rest + "}}]}",
				"set exactly one of file, rbd, s3 and swift"},
			"three kinds": {"spec: {stores: [{name: a, file: {}, rbd: {secret: s, pool: p}, s3: {" + endpoint + rest + "}}]}",
				"set exactly one of file, rbd, s3 and swift"},
			"no endpoint":    {bucket(rest), "s3.endpoint: Required value"},
			"no bucket":      {bucket(endpoint + "secret: s"), "s3.bucket: Required value"},
			"no secret":      {bucket(endpoint + "bucket: images"), "s3.secret: Required value"},
			"no scheme":      {bucket("endpoint: s3.example.org, " + rest), path},
			"another scheme": {bucket("endpoint: 'ftp://s3.example.org', " + rest), path},
			"a path":         {bucket("endpoint: 'https://s3.example.org/images', " + rest), path},
			"keys in it":     {bucket("endpoint: 'https://a:b@s3.example.org', " + rest), path},
			"name of bucket": {bucket(endpoint + "bucket: My_Images, secret: s"), "bucket is the name of a bucket"},
			"region":         {bucket(endpoint + rest + ", region: 'EU Central'"), "region is of lower-case letters"},
			"addressing":     {bucket(endpoint + rest + ", addressing: virtual"), "supported values: \"Path\", \"Host\""},
			"small cache":    {"spec: {cache: {size: 50Mi}}", "size is at least 100Mi"},
			"class of cache": {"spec: {cache: {className: 'a/b'}}", "className is the name of a StorageClass"},
			"no quota":       {"spec: {projectQuota: 0}", "leave it out for no limit"},
			"negative quota": {"spec: {projectQuota: -1Gi}", "leave it out for no limit"},
		})
	})
}

// A Swift is told by where its users are known, which for a Keystone is an address that says so.
func TestServerRefusesSwifts(t *testing.T) {
	store := func(patch string) string { return "spec: {stores: [{name: away, swift: {" + patch + "}}]}" }
	const address = "authURL is an address with a path"
	const url, rest = "authURL: 'https://identity.example.org:5000/v3', ", "container: images, secret: s"
	const plain = "authURL: 'https://swift.example.org/auth/v1.0', authVersion: 1, "
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"two kinds": {"spec: {stores: [{name: a, file: {}, swift: {" + url + rest + "}}]}",
				"set exactly one of file, rbd, s3 and swift"},
			"no address":      {store(rest), "swift.authURL: Required value"},
			"no container":    {store(url + "secret: s"), "swift.container: Required value"},
			"no secret":       {store(url + "container: images"), "swift.secret: Required value"},
			"no scheme":       {store("authURL: 'identity.example.org/v3', " + rest), address},
			"a password":      {store("authURL: 'https://a:b@identity.example.org/v3', " + rest), address},
			"no path":         {store("authURL: 'https://swift.example.org', authVersion: 1, " + rest), address},
			"name of host":    {store("authURL: 'https://httpd.example.org/v3', " + rest), "begins with http for a whole"},
			"no version":      {store("authURL: 'https://identity.example.org/identity', " + rest), "authURL ends in /v3"},
			"another version": {store("authURL: 'https://swift.example.org/auth/v1.0', " + rest), "set authVersion to 1"},
			"version":         {store("authVersion: 2, " + url + rest), "supported values: \"1\", \"3\""},
			"container":       {store(url + "container: my/images, secret: s"), "container is of letters, digits"},
			"interface":       {store(url + rest + ", interface: publicURL"), "supported values: \"public\""},
			"region":          {store(url + rest + ", region: 'Region One'"), "region is the id of a region"},
			"domain":          {store(url + rest + ", userDomain: \"a\\nb\""), "userDomain is the name of a domain in one line"},
			"project":         {store(url + rest + ", projectDomain: \"a\\tb\""), "projectDomain is the name of a domain"},
			"plain region":    {store(plain + rest + ", region: RegionOne"), "leave them out with authVersion 1"},
			"plain interface": {store(plain + rest + ", interface: admin"), "leave them out with authVersion 1"},
			"plain domain":    {store(plain + rest + ", userDomain: Default"), "leave them out with authVersion 1"},
		})
		for _, right := range []string{url + rest, plain + rest} {
			p.Change(kind().Object, "spec.stores", stores(t, "{name: away, swift: {"+right+"}}"))
		}
	})
}

// The section of a store has the store's name, so that must be none of Glance's own.
func TestServerRefusesNamesOfSections(t *testing.T) {
	known, err := catalogue.Load(releases.Files, "epoxy", "glance")
	servicetest.Must(t, err)
	cases := map[string][2]string{}
	for section := range known.Groups {
		if name := strings.ToLower(section); regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(name) {
			cases[name] = [2]string{"spec: {stores: [{name: " + name + ", file: {}}]}", "has a section of that name"}
		}
	}
	if len(cases) < 3 {
		t.Errorf("only %d sections could be the name of a store", len(cases))
	}
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) { kind().Refuses(p, cases) })
}
