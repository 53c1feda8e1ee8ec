package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Zone is a domain whose names Designate serves.
var Zone = d.Kind{
	Name: "Zone", Plural: "zones", Service: "dns", Path: "/zones", Item: d.None, Items: "zones",
	Doc: "Zone is a domain whose names Designate serves; RecordSets are the names.", Key: []string{"name"},
	Update: d.Update{Method: "PATCH"}, Marker: byKey, Events: []string{"dns.zone"},
	Fields: []d.Field{
		{API: "name", Required: true, CreateOnly: true, Max: 255, Pattern: `\.$`, Normal: d.DNS,
			Doc: "The domain, which ends in a dot."},
		{API: "description", Max: 160, Doc: "A sentence for people."},
		{API: "type", CreateOnly: true, Enum: []string{"CATALOG", "PRIMARY", "SECONDARY"},
			Doc: "Whether names are made here; PRIMARY when empty."},
		{API: "email", Max: 255, Doc: "Address of who answers for it; a primary zone needs it."},
		{API: "ttl", Type: d.Int, HasMin: true, Max: maxInt, Doc: "Seconds for which others may remember names."},
		{API: "masters", Type: d.Strings, Normal: d.Set, Max: 255, Doc: "Servers that a secondary zone is copied from."},
		{API: "attributes", Type: d.Map, CreateOnly: true, Doc: "Wishes for the pool of servers."},
		{API: "pool_id", CreateOnly: true, Max: 36, Doc: "Id of the pool of servers; for administrators."},
	},
	State: dnsState,
	List:  d.List{AllProjects: allProjects, Page: 1000, Filters: []string{"type", "email", "status"}},
	Sample: `name: example.org.
email: hostmaster@example.org`,
}

// Designate's resources are there at once, and PENDING until its servers have them.
var dnsState = d.State{Path: "status", Ready: []string{"ACTIVE"}, Pending: []string{"PENDING"},
	Error: []string{"ERROR"}, Deleted: []string{"DELETED"}}

const allProjects = "X-Auth-All-Projects: true"
