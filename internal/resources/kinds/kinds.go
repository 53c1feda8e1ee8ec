// Package kinds has a descriptor for each kind of OpenStack resource, one file each.
package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// All returns every kind, parents before children.
func All() []*d.Kind {
	var all []*d.Kind
	for _, service := range [][]d.Kind{identity()} {
		for _, k := range service {
			all = append(all, &k)
		}
	}
	return all
}

func identity() []d.Kind {
	return []d.Kind{
		Region, Domain, Project, User, Group, GroupMembership, Role, RoleInference, RoleAssignment, Service, Endpoint,
		ApplicationCredential, EC2Credential, RegisteredLimit, Limit,
	}
}

// Markers of services.
var (
	// extra: Keystone stores attributes that it does not know.
	extra = d.Marker{Channel: d.MarkByExtra, Field: "stackwright_owner"}
	byKey = d.Marker{Channel: d.MarkByKey}
)

// Fields that many kinds have.
var (
	description = d.Field{API: "description", Max: 1024, Doc: "A sentence for people."}
	domainRef   = d.Field{API: "domain_id", Ref: "Domain", CreateOnly: true,
		Doc: "Domain of the resource; that of the cloud's credentials when empty."}
)

func name(max int64) d.Field {
	return d.Field{API: "name", Named: true, Max: max, Doc: "Name in OpenStack; that of the object when empty."}
}

// create makes a field that cannot be changed later.
func create(f d.Field) d.Field {
	f.CreateOnly = true
	return f
}
