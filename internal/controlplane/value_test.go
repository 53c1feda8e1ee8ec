package controlplane_test

import (
	"os"
	"testing"

	"stackwright.dev/kit/kittest"
)

// values are what people write wrong about services, by what is said to it: what a service's own kind would refuse is
// refused where the person has written it.
func values() map[string]map[string]any {
	out := map[string]map[string]any{
		"cacheSize is between 16Mi and 64Gi":         {"memcached": map[string]any{"cacheSize": "1Mi"}},
		"belong to the operator; remove them":        {"galera": config("wsrep_on", "OFF")},
		"has an option that belongs to the operator": {"galera": config("datadir", "/tmp")},
		"such as max_connections":                    {"galera": config("Max-Connections", "1")},
		"a value in config is one line":              {"galera": config("max_connections", "1\n[mysqld]")},
		"has a key that belongs to the operator":     {"rabbitmq": config("listeners.tcp.1", "5672")},
		"such as consumer_timeout":                   {"rabbitmq": config("consumer timeout", "1")},
	}
	for _, name := range []string{"galera", "rabbitmq", "ovn"} {
		out["spec.services."+name+".storage: Invalid value: \"1Mi\": storage is at least 100Mi"] = map[string]any{
			name: map[string]any{"storage": "1Mi"}}
	}
	return out
}

func config(option, value string) map[string]any {
	return map[string]any{"config": map[string]any{option: value}}
}

func TestWrongValuesAreRefusedWhereTheyAreWritten(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) { refusesValues(p) })
}

func refusesValues(p *kittest.Play) {
	p.T.Helper()
	p.Ready()
	for says, services := range values() {
		refuses(p.T, p, services, says)
	}
	refuses(p.T, p, map[string]any{"memcached": map[string]any{"cacheSize": "65Gi"}}, "cacheSize is between")
	refuses(p.T, p, map[string]any{"rabbitmq": config("consumer_timeout", "1\n2")}, "a value in config is one line")
	p.Change(cloud, "spec.services", map[string]any{
		"galera":    map[string]any{"storage": "100Mi", "config": map[string]any{"max_connections": "2000"}},
		"rabbitmq":  config("consumer_timeout", "3600000"),
		"memcached": map[string]any{"cacheSize": "16Mi"},
	})
}

// What was named before cannot become less.
func TestLessIsRefusedWhereItIsWritten(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) { refusesLess(p) })
}

func refusesLess(p *kittest.Play) {
	p.T.Helper()
	p.Ready()
	for _, name := range []string{"galera", "rabbitmq", "ovn"} {
		p.Change(cloud, "spec.services", map[string]any{name: map[string]any{"storage": "30Gi"}})
		p.Settle()
		p.Ready()
		refuses(p.T, p, map[string]any{name: map[string]any{"storage": "20Gi"}},
			"spec.services."+name+".storage: Invalid value: \"20Gi\": storage can grow and not shrink")
		p.Change(cloud, "spec.services", map[string]any{name: map[string]any{"storage": "30720Mi"}})
	}
	p.Change(cloud, "spec.services", map[string]any{"galera": map[string]any{"replicas": int64(3)}})
	refuses(p.T, p, map[string]any{"galera": map[string]any{"replicas": int64(1)}},
		"replicas can grow from 1 to 3 and not shrink")
	p.Settle()
	p.Ready()
	refusesOtherStores(p)
}

// refusesOtherStores: where no store was named there is one, which has images by now.
func refusesOtherStores(p *kittest.Play) {
	p.T.Helper()
	store := func(name, kind string, value map[string]any) any { return map[string]any{"name": name, kind: value} }
	asked := func(stores ...any) map[string]any { return map[string]any{"glance": map[string]any{"stores": stores}} }
	ceph := map[string]any{"secret": "ceph", "pool": "images"}
	p.Change(cloud, "spec.services", ask("glance"))
	for _, wrong := range []any{store("ceph", "rbd", ceph), store("files", "file", map[string]any{})} {
		refuses(p.T, p, asked(wrong), "stores leaves out the one named file, which has the images")
	}
	p.Change(cloud, "spec.services", asked(store("ceph", "rbd", ceph), store("file", "file", map[string]any{})))
	refuses(p.T, p, asked(store("ceph", "rbd", ceph), store("file", "rbd", ceph)), "the kind of a store cannot be changed")
	p.Change(cloud, "spec.services", asked(store("ceph", "rbd", ceph)))
	p.Settle()
	p.Ready()
}

// The authority that is given signs for all services, and no other one is made; the region is the one asked for.
func TestAnAuthorityAndARegionOfOnesOwn(t *testing.T) {
	base, err := os.ReadFile("testdata/minimal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kittest.New(t, owned(t, ", region: north, tls: {caSecret: corporate}}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		kittest.Golden(t, "testdata/own.diff", kittest.Diff(string(base), p.Applied()))
		p.Change(cloud, "spec.services", ask(optional()...))
		p.Settle()
		p.Ready()
		if p.Object("Secret/first-ca") != nil {
			t.Error("an authority is made although one is given")
		}
		wantField(p, "Keystone/first-keystone", "north", "spec", "region")
		for _, name := range append(optional(), "keystone") {
			wantField(p, title(name)+"/first-"+name, "corporate", "spec", "tls", "caSecret")
		}
		for _, ref := range []string{"Galera/first-galera", "RabbitMQ/first-rabbitmq"} {
			wantField(p, ref, "corporate", "spec", "tls", "caSecret")
		}
		// Whom it signs could write what services unpickle.
		if got := field(p, "Memcached/first-memcached", "spec", "tls", "caSecret"); got != nil {
			t.Errorf("caches let in whom %v signed", got)
		}
	})
}
