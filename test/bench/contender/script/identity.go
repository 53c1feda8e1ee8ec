package script

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

const group = "openstack.stackwright.dev"

// Register makes the users of services and the catalog, as one batch of the command line client.
func Register(cloud *capture.Cloud) string {
	r := registrar{cloud}
	var out [][]string
	for _, p := range cloud.Of(group, "Project") {
		out = append(out, []string{"project", "create", "--or-show", name(p)})
	}
	for _, u := range cloud.Of(group, "User") {
		ref, _, _ := unstructured.NestedStringMap(u.Object, "spec", "resource", "passwordRef")
		password := ""
		if s := cloud.Secrets[ref["name"]]; s != nil {
			password = string(s.Data[ref["key"]])
		}
		out = append(out, []string{"user", "create", "--password", password, name(u)})
	}
	for _, a := range cloud.Of(group, "RoleAssignment") {
		out = append(out, []string{"role", "add", "--user", r.named(a, "User", "userRef"), "--project",
			r.named(a, "Project", "projectRef"), r.named(a, "Role", "roleRef")})
	}
	for _, s := range cloud.Of(group, "Service") {
		out = append(out, []string{"service", "create", "--name", name(s), text(s, "type")})
	}
	for _, e := range cloud.Of(group, "Endpoint") {
		out = append(out, []string{"endpoint", "create", "--region", r.named(e, "Region", "regionRef"),
			r.named(e, "Service", "serviceRef"), text(e, "interface"), text(e, "url")})
	}
	return lines(out...)
}

// Aggregates puts hosts into the aggregates that they were in.
func Aggregates(cloud *capture.Cloud) string {
	var out [][]string
	for _, a := range cloud.Of(group, "HostAggregate") {
		c := []string{"aggregate", "create"}
		if zone := text(a, "availabilityZone"); zone != "" {
			c = append(c, "--zone", zone)
		}
		out = append(out, append(c, name(a)))
	}
	for _, h := range cloud.Of(group, "AggregateHost") {
		out = append(out, []string{"aggregate", "add", "host",
			registrar{cloud}.named(h, "HostAggregate", "aggregateRef"), text(h, "host")})
	}
	return lines(out...)
}

// registrar knows what objects are called in OpenStack.
type registrar struct{ cloud *capture.Cloud }

// named is the name in OpenStack of what a field refers to.
func (r registrar) named(u *unstructured.Unstructured, kind, field string) string {
	if external, ok, _ := nested(u.Object, "spec", "resource", field, "external", "name"); ok {
		return external
	}
	ref, _, _ := nested(u.Object, "spec", "resource", field, "name")
	for _, o := range r.cloud.Of(group, kind) {
		if o.GetName() == ref {
			return name(o)
		}
	}
	return ref
}

// name of a resource in OpenStack.
func name(u *unstructured.Unstructured) string { return or(text(u, "name"), u.GetName()) }

func text(u *unstructured.Unstructured, field string) string {
	s, _, _ := nested(u.Object, "spec", "resource", field)
	return s
}

func nested(o map[string]any, path ...string) (string, bool, error) {
	return unstructured.NestedString(o, path...)
}
