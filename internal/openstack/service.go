package openstack

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// service is what there is to know about a type of service before talking to it.
type service struct {
	// aliases are other types under which catalogs have it, best first. Types of versions that no supported release has
	// (volumev2) are left out, so that their endpoints are never taken.
	aliases []string
	// version is the part of the path that our requests are below; catalogs have it or not, or an older one.
	version string
	// project says that the project's id follows the version when the catalog has a bare address.
	project bool
	// header is the type in the header of microversions where it is not the official one, legacy the older header.
	header, legacy string
}

// services has the types of https://service-types.openstack.org that have something to say. Others work by their
// type, with the address in the catalog as it is.
var services = map[string]service{
	"accelerator":           {version: "v2"},
	"admin-logic":           {aliases: []string{"registration"}, version: "v1"},
	"alarm":                 {aliases: []string{"alarming"}, version: "v2"},
	"application-container": {aliases: []string{"container"}, version: "v1"},
	"baremetal":             {aliases: []string{"bare-metal"}, version: "v1", legacy: "X-OpenStack-Ironic-API-Version"},
	"block-storage": {aliases: []string{"volumev3", "block-store", "volume"}, version: "v3", project: true,
		header: "volume", legacy: "X-OpenStack-Volume-API-Version"},
	"compute": {version: "v2.1", legacy: "X-OpenStack-Nova-API-Version"},
	"container-infrastructure-management": {aliases: []string{"container-infra", "container-infrastructure"},
		version: "v1", header: "container-infra"},
	"database":              {version: "v1.0", project: true},
	"dns":                   {version: "v2"},
	"identity":              {version: "v3"},
	"image":                 {version: "v2"},
	"instance-ha":           {aliases: []string{"ha"}, version: "v1", project: true},
	"key-manager":           {version: "v1"},
	"load-balancer":         {version: "v2.0"},
	"message":               {aliases: []string{"messaging"}, version: "v2"},
	"metric":                {version: "v1"},
	"network":               {aliases: []string{"networking"}, version: "v2.0"},
	"orchestration":         {version: "v1", project: true},
	"reservation":           {version: "v1"},
	"resource-optimization": {aliases: []string{"infra-optim"}, version: "v1"},
	"shared-file-system": {aliases: []string{"sharev2", "share"}, version: "v2",
		legacy: "X-OpenStack-Manila-API-Version"},
	"workflow": {aliases: []string{"workflowv2"}, version: "v2"},
}

// official returns the type under which a service is known here.
func official(name string) string {
	if _, ok := services[name]; ok {
		return name
	}
	for typ, s := range services {
		if slices.Contains(s.aliases, name) {
			return typ
		}
	}
	return name
}

// types are all types under which a catalog may have a service, best first.
func types(service string) []string {
	return append([]string{service}, services[service].aliases...)
}

var versionSegment = regexp.MustCompile(`^v\d+(\.\d+)?$`)

// base returns the address that requests of a service are below, from that in the catalog. Catalogs say
// http://h:9696, http://h:9696/v2.0, http://h/identity/v2.0, http://h:8774/v2/PROJECT and more.
func base(name, address, project string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || u.Host == "" {
		return nil, refuse("the catalog has an address of service %s that is not a URL; correct its endpoint", name)
	}
	s := services[name]
	if s.version == "" {
		return u, nil
	}
	segments := strings.Split(u.Path, "/")
	if i := slices.IndexFunc(segments, versionSegment.MatchString); i >= 0 {
		segments[i] = newer(segments[i], s.version)
	} else {
		segments = append(segments, s.version)
		if s.project && project != "" {
			segments = append(segments, project)
		}
	}
	u.Path, u.RawPath = strings.Join(segments, "/"), ""
	return u, nil
}

// newer replaces a version that is not the one requests are written for; v2 and v2.0 are the same, v2 and v2.1 of
// Nova are not.
func newer(have, want string) string {
	if strings.TrimSuffix(have, ".0") == strings.TrimSuffix(want, ".0") {
		return have
	}
	return want
}

// versionRoot returns where a service describes the version that an address is of.
func versionRoot(u *url.URL) (root *url.URL, version string) {
	segments := strings.Split(u.Path, "/")
	if i := slices.IndexFunc(segments, versionSegment.MatchString); i >= 0 {
		segments, version = segments[:i+1], segments[i]
	}
	r := *u
	r.Path, r.RawPath = strings.TrimRight(strings.Join(segments, "/"), "/")+"/", ""
	return &r, version
}

// versionHeaders are the headers that choose a microversion.
func versionHeaders(name, microversion string) map[string]string {
	s := services[name]
	typ := name
	if s.header != "" {
		typ = s.header
	}
	h := map[string]string{"OpenStack-API-Version": typ + " " + microversion}
	if s.legacy != "" {
		h[s.legacy] = microversion
	}
	return h
}
