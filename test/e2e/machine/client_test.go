//go:build e2e

package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/config"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"

	"stackwright.dev/stackwright/test/e2e/story"
)

// client does what up advises: a client of OpenStack on this machine uses the clouds.yaml that up has written.
func (a *ascent) client(t *testing.T) {
	t.Helper()
	// Only what is in the file counts.
	auth, where, tls, err := clouds.Parse(clouds.WithCloudName("default"), clouds.WithLocations(a.clouds))
	if err != nil {
		t.Fatal(err)
	}
	provider, err := config.NewProviderClient(t.Context(), auth, config.WithTLSConfig(tls))
	if err != nil {
		t.Fatalf("getting a token: %v", err)
	}
	compute, err := openstack.NewComputeV2(provider, where)
	if err != nil {
		t.Fatal(err)
	}
	page, err := servers.List(compute, servers.ListOpts{AllTenants: true}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := servers.ExtractServers(page)
	if err != nil || len(list) != 1 || list[0].Status != "ACTIVE" {
		t.Errorf("the servers are %v, want the one that runs; %v", list, err)
	}
}

// objects are what operators and Kubernetes' own controllers look after, with their generations: which change whenever
// somebody changes what is declared. Pods change when they are replaced. Those of Jobs come by the hour.
func objects(t *testing.T, c story.Cluster) []string {
	t.Helper()
	const line = `{range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name} {.metadata.uid} {.metadata.generation}` +
		` of {.metadata.ownerReferences[*].kind}{"\n"}{end}`
	out, err := c.Kubectl(t.Context(), "get", "--all-namespaces", "--output=jsonpath="+line,
		"pods,deployments,statefulsets,daemonsets,services,configmaps,secrets,stackwright,openstack")
	if err != nil {
		t.Fatal(err)
	}
	list := slices.DeleteFunc(strings.Split(strings.TrimSpace(out), "\n"), func(o string) bool {
		return strings.HasSuffix(o, " of Job")
	})
	if len(list) < 100 {
		t.Fatalf("there are only %d objects", len(list))
	}
	slices.Sort(list)
	return list
}

// changed tells what is in one list only.
func changed(before, after []string) (out []string) {
	for _, o := range before {
		if !slices.Contains(after, o) {
			out = append(out, fmt.Sprintf("gone or changed: %s", o))
		}
	}
	for _, o := range after {
		if !slices.Contains(before, o) {
			out = append(out, fmt.Sprintf("new or changed: %s", o))
		}
	}
	return out
}
