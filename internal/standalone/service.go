package standalone

import "stackwright.dev/stackwright/internal/service"

func keystone() Chart {
	return Chart{
		Name: "keystone", Kind: "Keystone",
		Base: `{image: $, region: $, replicas: $, expose: {hostname: $}, trustFlush: {schedule: $},
 database: {galera: none}}`,
		Axes: append(shared(),
			Axis{Cases: []string{"rabbitmq: $"}},
			Axis{Cases: []string{"adminPasswordSecret: $"}},
			Axis{Cases: []string{"trustFlush: {suspend: true}"}},
		),
		Read: []string{"config", "configFrom", "database", "fernet", "release", "workers"},
		Only: only(),
		// A rotation is over when a Job has encrypted everything anew, which nobody runs here.
		Fixed:  map[string]string{"credential": `dict "rotationInterval" "876000h"`},
		Place:  append(place(), "adminPasswordSecret", "database", "fernet", "region", "trustFlush"),
		Before: []string{"db-expand"}, Later: "db-contract",
		Given: given(),
	}
}

func placement() Chart {
	return Chart{
		Name: "placement", Kind: "Placement",
		Base:   asks,
		Axes:   shared(),
		Read:   reads(),
		Only:   only(),
		Place:  append(place(), "database"),
		Before: []string{"db-sync"},
		Given:  given(),
	}
}

// glance keeps images in Ceph, in buckets and in Swift, which are nothing but configuration. Each volume would be an
// object more.
func glance() Chart {
	return Chart{
		Name: "glance", Kind: "Glance",
		Base: asks + `stores: [{name: any, rbd: {secret: ` + standIn + `, pool: any, monitors: [any]}}]`,
		Axes: append(shared(), Axis{Cases: []string{"rabbitmq: $"}}),
		Read: append(reads(), "projectQuota", "stores"), Only: only(), Given: given(),
		Without: []string{"stores.file"}, Names: map[string][]string{
			"stores.rbd.secret": keysCeph(), "stores.s3.secret": {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
			"stores.swift.secret": keysSwift()},
		Place:  append(place(), "database"),
		Before: []string{"db-expand"}, Later: "db-contract",
	}
}

// cinder has a program for each back end, and volumes of shares for none: a template cannot name the folders.
func cinder() Chart {
	return Chart{
		Name: "cinder", Kind: "Cinder",
		Base: asks + `rabbitmq: $
scheduler: {replicas: $}
backup: {replicas: $, rbd: {secret: $, pool: any, monitors: [any]}}
maintenance: {schedule: $, keepDays: $}`,
		Axes: append(shared(), program("scheduler"), program("volume"), Axis{Cases: []string{"backup: null"}},
			Axis{Cases: []string{`backends: [{name: $, image: $, driver: any}]`}, Each: "backends",
				Else: map[string]string{"image": "image"}}),
		Read: append(reads(), "backup.rbd.user", "notifications"), Only: only(),
		Given:   with(given(), mark("backup", "rbd", "secret"), keysCeph()...),
		Without: []string{"backends.nfs"},
		Names:   map[string][]string{"backends.rbd.secret": keysCeph(), "backup.rbd.secret": keysCeph()},
		Place:   append(place(), "database", "maintenance", "scheduler", "volume"),
		Before:  []string{"db-sync"},
	}
}

// nova knows its cells by their Secrets, and has no programs of theirs: they are of the chart of cells.
func nova() Chart {
	cells := mark("cells", "name")
	return Chart{
		Name: "nova", Kind: "Nova",
		Base: asks + `rabbitmq: $
scheduler: {replicas: $}
conductor: {replicas: $}
maintenance: {schedule: $, keepDays: $}`,
		Axes: append(shared(), program("scheduler"), program("conductor"),
			Axis{Cases: []string{"cells: [{name: $}]"}, Each: "cells"}),
		Read: append(reads(), "notifications"), Only: only(),
		Given: with(with(with(given(), "cell0-db", "connection", "password"), cells+endDatabase, "connection", "password"),
			cells+endBus, "transport_url"),
		Without: []string{"cells.conductor", "cells.console", "cells.expose", "cells.galera", "cells.metadata",
			"cells.rabbitmq"},
		Place: append(place(), "conductor", "database", "maintenance", "scheduler"),
		// Programs remember the cells from when they started.
		Before: []string{"db-sync", "map-cells"}, Early: true,
	}
}

// novacell asks others as the user of its Nova.
func novacell() Chart {
	return Chart{
		Name: "novacell", Kind: "NovaCell",
		Base: asks + `nova: $
rabbitmq: $
conductor: {replicas: $}
console: {replicas: $}`,
		Axes: append(shared(), program("conductor"), program("console")),
		Read: append(reads(), "notifications"), Only: only(),
		Given:  with(given(), mark("nova")+"-user", service.KeyPassword),
		Place:  append(place(), "conductor", "console", "database"),
		Before: []string{"db-sync"},
	}
}

func neutron() Chart {
	return Chart{
		Name: "neutron", Kind: "Neutron",
		Base: asks + `rabbitmq: $
ovn: $
rpc: {replicas: $}
periodic: {replicas: $}
maintenance: {replicas: $}`,
		Axes:   append(shared(), program("rpc"), program("periodic"), program("maintenance")),
		Read:   append(reads(), "dnsDomain", "dnsServers", "mtu", "notifications", "notifyNova", "physicalNetworks"),
		Only:   only(),
		Given:  with(given(), mark("ovn")+endClient, keysOVN()...),
		Place:  append(place(), "database", "maintenance", "periodic", "rpc"),
		Before: []string{"db-sync"},
	}
}

func horizon() Chart {
	types := only()
	delete(types, "database.deletionPolicy")
	return Chart{
		Name: "horizon", Kind: "Horizon",
		Base: `image: $
replicas: $
expose: {hostname: $}
keystone: $
memcached: $`,
		Axes: append(shared(), Axis{Cases: []string{"branding: {logos: $}"}}),
		Read: []string{"branding.siteLink", "branding.siteTitle", "release", "services", "settings", "workers"}, Only: types,
		Given: with(given(), mark("memcached")+endClient, keysMemcached()...),
		Place: place(),
	}
}

// asks is the base of services that ask a Keystone.
const asks = `image: $
replicas: $
expose: {hostname: $}
identity: {keystone: $}
database: {galera: none}
`

// reads are the fields that only Secrets are made of, of services that ask a Keystone.
func reads() []string {
	return []string{"config", "configFrom", "database", "identity.project", "release", "workers"}
}

// only is what fields of every service may be: nobody deletes a database, and a route has an authority in it.
func only() map[string][]string {
	return map[string][]string{"database.deletionPolicy": {"Retain"}, "expose.type": {"LoadBalancer", "ClusterIP"}}
}

// given are the Secrets that somebody makes for a service with a database.
func given() map[string][]string {
	return map[string][]string{endDatabase[1:]: {"connection", "password"}, endBus[1:]: {"transport_url"},
		standIn: keysCeph()}
}

// keysCeph are those of the Secret of a Ceph.
func keysCeph() []string  { return []string{keyUser, "key", keyCephConf} }
func keysSwift() []string { return []string{keyUser, "key"} }

// Ends of the names of Secrets by which databases and virtual hosts are known.
const (
	endDatabase = "-db"
	endBus      = "-bus"
)

const (
	keyUser     = "user"
	keyCephConf = "ceph.conf"
)

func with(given map[string][]string, name string, keys ...string) map[string][]string {
	given[name] = keys
	return given
}

func barbican() Chart {
	return Chart{
		Name: "barbican", Kind: "Barbican",
		Base: asks + `rabbitmq: $
worker: {replicas: $}
maintenance: {schedule: $, keepDays: $}`,
		Axes: append(shared(), spared(), program("worker")),
		Read: reads(), Only: only(), Given: given(),
		Place:  append(place(), "database", "maintenance", "worker"),
		Before: []string{"db-sync"},
	}
}

func heat() Chart {
	c := Chart{
		Name: "heat", Kind: "Heat",
		Base: asks + `rabbitmq: $
cfn: {replicas: $, expose: {hostname: $}}
engine: {replicas: $}
maintenance: {schedule: $, keepDays: $}`,
		Axes: append(shared(), spared(), program("cfn"), program("engine")),
		Read: append(reads(), "domain", "notifications"), Only: only(), Given: given(),
		Doors:  []string{"cfn.expose"},
		Place:  append(place(), "cfn", "database", "engine", "maintenance"),
		Before: []string{"db-sync"},
	}
	c.Axes = append(c.Axes, door("cfn: {%s}", "cfn.expose")...)
	c.Only["cfn.expose.type"] = c.Only["expose.type"]
	return c
}
