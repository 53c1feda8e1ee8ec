//go:build apiserver

package glance_test

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

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
			"no kind of store":  {"spec: {stores: [{name: a}]}", "set exactly one of file, rbd and s3"},
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
			servicetest.Denied(t, p.Client.Update(t.Context(), glance), want)
		}
	})
}

// A bucket is told by what a person can read off its endpoint, and a cache and a quota by sizes.
func TestServerRefusesBucketsAndSizes(t *testing.T) {
	bucket := func(patch string) string { return "spec: {stores: [{name: far, s3: {" + patch + "}}]}" }
	const path = "endpoint is an address without a path"
	const endpoint, rest = "endpoint: 'https://s3.example.org', ", "bucket: images, secret: s"
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"two kinds": {"spec: {stores: [{name: a, file: {}, s3: {" + endpoint + rest + "}}]}",
				"set exactly one of file, rbd and s3"},
			"three kinds": {"spec: {stores: [{name: a, file: {}, rbd: {secret: s, pool: p}, s3: {" + endpoint + rest + "}}]}",
				"set exactly one of file, rbd and s3"},
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
