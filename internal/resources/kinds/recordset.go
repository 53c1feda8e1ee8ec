package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// RecordSet is a name of a zone, with the answers of one type.
var RecordSet = d.Kind{
	Name: "RecordSet", Plural: "recordsets", Service: "dns", Path: "/zones/{zone_id}/recordsets", Item: d.None,
	Items: "recordsets",
	Doc:   "RecordSet is a name of a zone, with the answers of one type.", Key: []string{"zone_id", "name", "type"},
	Update: d.Update{Method: "PUT"}, Marker: byKey, Events: []string{"dns.recordset"},
	Fields: []d.Field{
		{API: "zone_id", Ref: "Zone", Required: true, CreateOnly: true, Doc: "Zone of the name."},
		{API: "name", Required: true, CreateOnly: true, Max: 255, Pattern: `\.$`, Normal: d.DNS,
			Doc: "The whole name, which ends in a dot."},
		{API: "type", Required: true, CreateOnly: true,
			Doc: "Type of the answers.", Enum: []string{"A", "AAAA", "CAA", "CERT", "CNAME",
				"MX", "NAPTR", "NS", "PTR", "SOA", "SPF", "SRV", "SSHFP", "TXT"}},
		{API: "records", Type: d.Strings, Required: true, Normal: d.Set, Max: 4096, Doc: "The answers, as in a zone file."},
		{API: "ttl", Type: d.Int, HasMin: true, Max: maxInt,
			Doc: "Seconds for which others may remember it; the zone's when empty."},
		{API: "description", Max: 160, Doc: "A sentence for people."},
	},
	State: dnsState,
	// All zones' in one list.
	List: d.List{Path: "/recordsets", AllProjects: allProjects, Page: 1000,
		Filters: []string{"zone_id", "type", "status"}},
	Sample: `zoneRef: {name: example-org}
name: www.example.org.
type: A
records: [192.0.2.10]`,
}
