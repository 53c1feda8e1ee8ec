package charts_test

import (
	"maps"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"helm.sh/helm/v4/pkg/chart/common"
	"sigs.k8s.io/yaml"
)

// trial is a chart with mode standalone.
type trial struct {
	chart, kind string
	// smallest are the values that the mode needs.
	smallest string
	// choices are fields, each in a way in which the mode takes it.
	choices map[string]string
	// objects is how many the definition makes at least.
	objects int
	// every is of which share of the pairs of choices one is compared, 0 for all.
	every int
}

// trials are all charts that have the mode.
func trials() []trial {
	return []trial{keystone(), placement(), glance(), cinder(), neutron(), nova(), novacell(), barbican(), heat(),
		horizon()}
}

// every are choices that all services have.
func every(own map[string]string) map[string]string {
	all := map[string]string{
		"replicas":       "replicas: 0",
		"workers":        "workers: 5",
		"release":        "release: epoxy",
		"resources":      "resources: {requests: {cpu: 250m, memory: 1Gi}, limits: {memory: 2Gi}}",
		"node selector":  "nodeSelector: {role: control, 'example.org/zone': a}",
		"tolerations":    "tolerations: [{key: role, operator: Exists}, {key: other, value: x, effect: NoSchedule}]",
		"spread":         "topologySpread: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]",
		"no spread":      "topologySpread: []",
		"config map":     "extraVolumes: [{name: policy, mountPath: /etc/policy.d, configMap: policy}]",
		"secret":         "extraVolumes: [{name: ldap, mountPath: /etc/ldap, secret: ldap}]",
		"claim":          "extraVolumes: [{name: data, mountPath: /data, persistentVolumeClaim: data}]",
		"volumes":        "extraVolumes: [{name: b, mountPath: /b, secret: b}, {name: a, mountPath: /a, configMap: a}]",
		"no TLS":         "tls: {disabled: true}",
		"certificate":    "tls: {secret: given}",
		"authority":      "tls: {caSecret: authority}",
		"address":        "expose: {type: LoadBalancer, hostname: other.example.org}",
		"cluster":        "expose: {type: ClusterIP, hostname: null}",
		"cluster's name": "expose: {type: ClusterIP, hostname: inside.example.org}",
		"annotations":    "expose: {annotations: {example.org/zone: public, quoted: 'a \"b\": {c}'}}",
		"policy":         "database: {galera: other, deletionPolicy: Retain}",
		"more options":   "configFrom: [{secret: options}, {configMap: options}]",
		"cloud": "global: {cloud: {region: West, release: epoxy, replicas: 4, workers: 6, tls: {caSecret: authority}, " +
			"nodeSelector: {cloud: a}, tolerations: [{key: cloud, operator: Exists}], " +
			"topologySpread: [{maxSkew: 2, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}]}}",
	}
	maps.Copy(all, own)
	return all
}

func keystone() trial {
	return trial{
		chart: "keystone", kind: "Keystone", objects: 11,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/keystone:1',
  database: {galera: galera}, expose: {hostname: identity.example.org}}`,
		choices: every(map[string]string{
			"region":        "region: Elsewhere",
			"messages":      "rabbitmq: bus",
			"password":      "adminPasswordSecret: given",
			"schedule":      "trustFlush: {schedule: '@daily'}",
			"suspended":     "trustFlush: {suspend: true}",
			"not suspended": "trustFlush: {suspend: false}",
			"options":       "config: {token: {expiration: 600}, identity: {driver: sql}}",
			"keys":          "fernet: {rotationInterval: 12h, maxActiveKeys: 50}",
		}),
	}
}

func placement() trial {
	return trial{
		chart: "placement", kind: "Placement", objects: 7,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/placement:1',
  database: {galera: galera}, identity: {keystone: keystone}, expose: {hostname: inventory.example.org}}`,
		choices: every(asking(map[string]string{
			"options": "config: {placement: {randomize_allocation_candidates: true}}",
		})),
	}
}

func glance() trial {
	return trial{
		chart: "glance", kind: "Glance", objects: 9, every: 9,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/glance:1',
  database: {galera: galera}, identity: {keystone: keystone}, stores: [{name: ceph, rbd: {secret: ceph, pool: images}}],
  expose: {hostname: images.example.org}}`,
		choices: every(asking(map[string]string{
			"options":  "config: {DEFAULT: {image_size_cap: 1073741824}}",
			"messages": "rabbitmq: bus",
			"quota":    "projectQuota: 1Ti",
			"bucket": "stores: [{name: far, s3: {endpoint: 'https://s3.example.org', bucket: images, secret: bucket}}, " +
				"{name: near, rbd: {secret: ceph, pool: images, monitors: ['10.0.0.1:3300']}}]",
			"container": "stores: [{name: far, swift: {authURL: 'https://identity.example.org:5000/v3', container: images, " +
				"secret: swift, region: RegionOne, interface: internal, userDomain: Default, projectDomain: Default}}, " +
				"{name: old, swift: {authURL: 'http://swift/auth/v1.0', authVersion: 1, container: images, secret: swift}}]",
		})),
	}
}

func cinder() trial {
	return trial{
		chart: "cinder", kind: "Cinder", objects: 9, every: 9,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/cinder:1',
  database: {galera: galera}, identity: {keystone: keystone}, rabbitmq: rabbitmq,
  backends: [{name: ceph, rbd: {secret: ceph, pool: volumes}}], expose: {hostname: volumes.example.org}}`,
		choices: every(asking(cleaned(map[string]string{
			"options":     "config: {DEFAULT: {max_age: 600}}",
			"messages":    "notifications: true",
			"another bus": "rabbitmq: other",
			"schedulers":  "scheduler: {replicas: 3, resources: {limits: {memory: 512Mi}}}",
			"volume":      "volume: {resources: {limits: {memory: 2Gi}}}",
			"backup":      "backup: {replicas: 2, rbd: {secret: ceph, pool: b, user: cinder, monitors: ['10.0.0.1:3300']}}",
			"one backup":  "backup: {rbd: {secret: ceph, pool: backups}}",
			"back ends": "backends: [{name: fast, image: 'images.test/fast:1', driver: example.org.Driver}, " +
				"{name: ceph, rbd: {secret: ceph, pool: volumes, user: cinder}}]",
			"no back end": "backends: []",
		}))),
	}
}

func neutron() trial {
	return trial{
		chart: "neutron", kind: "Neutron", objects: 10, every: 9,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/neutron:1',
  database: {galera: galera}, identity: {keystone: keystone}, rabbitmq: rabbitmq, ovn: ovn,
  expose: {hostname: networks.example.org}}`,
		choices: every(asking(map[string]string{
			"options":     "config: {DEFAULT: {dhcp_lease_duration: 600}}",
			"messages":    "notifications: true",
			"servers":     "notifyNova: true",
			"another bus": "rabbitmq: other",
			"another OVN": "ovn: other",
			"RPC":         "rpc: {replicas: 2, resources: {limits: {memory: 512Mi}}}",
			"periodic":    "periodic: {replicas: 0, resources: {limits: {memory: 512Mi}}}",
			"maintenance": "maintenance: {replicas: 3, resources: {limits: {memory: 512Mi}}}",
			"names":       "{dnsDomain: cloud.example.org, dnsServers: [198.51.100.53]}",
			"networks":    "{mtu: 9000, physicalNetworks: [{name: public, mtu: 1500, vlans: ['100:200']}]}",
		})),
	}
}

func nova() trial {
	return trial{
		chart: "nova", kind: "Nova", objects: 11, every: 9,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/nova:1',
  database: {galera: galera}, identity: {keystone: keystone}, rabbitmq: rabbitmq, cells: [{name: cell1}],
  expose: {hostname: servers.example.org}}`,
		choices: every(asking(cleaned(map[string]string{
			"options":     "config: {DEFAULT: {allow_resize_to_same_host: true}}",
			"messages":    "notifications: true",
			"another bus": "rabbitmq: other",
			"schedulers":  "scheduler: {replicas: 3, resources: {limits: {memory: 512Mi}}}",
			"conductors":  "conductor: {replicas: 0, resources: {limits: {memory: 512Mi}}}",
			"cells":       "cells: [{name: cell2}, {name: cell1}]",
			"no cell":     "cells: []",
		}))),
	}
}

func novacell() trial {
	return trial{
		chart: "novacell", kind: "NovaCell", objects: 9, every: 9,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/nova:1', nova: nova,
  database: {galera: galera}, identity: {keystone: keystone}, rabbitmq: rabbitmq,
  expose: {hostname: screens.example.org}}`,
		choices: every(asking(map[string]string{
			"options":     "config: {DEFAULT: {allow_resize_to_same_host: true}}",
			"messages":    "notifications: true",
			"another bus": "rabbitmq: other",
			"another":     "nova: other",
			"conductors":  "conductor: {replicas: 3, resources: {limits: {memory: 512Mi}}}",
			"consoles":    "console: {replicas: 0, resources: {limits: {memory: 512Mi}}}",
		})),
	}
}

func horizon() trial {
	choices := every(map[string]string{
		"Keystone": "keystone: other",
		"caches":   "memcached: other",
		"settings": "settings: {SESSION_TIMEOUT: 600}",
		"services": "services: [nova, neutron]",
		"branding": "branding: {siteTitle: Cloud, siteLink: 'https://example.org'}",
		"pictures": "branding: {logos: pictures}",
	})
	for _, none := range []string{"policy", "more options"} {
		delete(choices, none)
	}
	return trial{
		chart: "horizon", kind: "Horizon", objects: 6, every: 3,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/horizon:1',
  keystone: keystone, memcached: memcached, expose: {hostname: cloud.example.org}}`,
		choices: choices,
	}
}

func barbican() trial {
	return trial{
		chart: "barbican", kind: "Barbican", objects: 8, every: 3,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/barbican:1',
  database: {galera: galera}, identity: {keystone: keystone}, rabbitmq: rabbitmq,
  expose: {hostname: keys.example.org}}`,
		choices: every(asking(cleaned(map[string]string{
			"options":     "config: {secretstore: {enable_multiple_secret_stores: false}}",
			"programs":    "worker: {replicas: 3}",
			"no program":  "worker: {replicas: 0}",
			"its size":    "worker: {resources: {limits: {memory: 512Mi}}}",
			"another bus": "rabbitmq: other",
		}))),
	}
}

func heat() trial {
	return trial{
		chart: "heat", kind: "Heat", objects: 12, every: 3,
		smallest: `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/heat:1',
  database: {galera: galera}, identity: {keystone: keystone}, rabbitmq: rabbitmq,
  expose: {hostname: stacks.example.org}, cfn: {expose: {hostname: stacks.example.org}}}`,
		choices: every(asking(cleaned(map[string]string{
			"options":       "config: {DEFAULT: {max_stacks_per_tenant: 5}}",
			"domain":        "domain: stacks",
			"messages":      "notifications: true",
			"engines":       "engine: {replicas: 3, resources: {limits: {memory: 512Mi}}}",
			"CFN":           "cfn: {replicas: 2}",
			"CFN's size":    "cfn: {resources: {limits: {memory: 512Mi}}}",
			"CFN inside":    "cfn: {expose: {type: ClusterIP, hostname: null}}",
			"CFN's name":    "cfn: {expose: {type: ClusterIP, hostname: inside.example.org}}",
			"CFN's notes":   "cfn: {expose: {annotations: {example.org/zone: public}}}",
			"CFN's address": "cfn: {expose: {type: LoadBalancer, hostname: other.example.org}}",
		}))),
	}
}

// cleaned are choices of services whose database is cleaned.
func cleaned(own map[string]string) map[string]string {
	own["night"] = "maintenance: {schedule: 0 4 * * *}"
	own["days"] = "maintenance: {keepDays: 90}"
	own["for ever"] = "maintenance: {keepDays: 0}"
	return own
}

// asking are choices that all services have that ask a Keystone.
func asking(own map[string]string) map[string]string {
	own["Keystone"] = "identity: {keystone: other}"
	own["project"] = "identity: {project: machines}"
	return own
}

// chosen are the smallest values with choices laid over them, as Helm reads them from a file.
func (c trial) chosen(t *testing.T, names ...string) map[string]any {
	t.Helper()
	var changes []string
	for _, name := range names {
		changes = append(changes, c.choices[name])
	}
	return c.with(t, changes...)
}

// with are the smallest values with changes laid over them.
func (c trial) with(t *testing.T, changes ...string) map[string]any {
	t.Helper()
	doc, err := yaml.YAMLToJSON([]byte(c.smallest))
	must(t, err)
	for _, text := range changes {
		change, err := yaml.YAMLToJSON([]byte(text))
		must(t, err)
		doc, err = jsonpatch.MergePatch(doc, change)
		must(t, err)
	}
	read, err := common.ReadValues(doc)
	must(t, err)
	return read
}
