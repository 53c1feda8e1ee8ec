package controlplane_test

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki"
)

// account makes the Secret of a MessageBus's listener, as its operator does.
func account(p *kittest.Play, bus, url string, ca []byte) {
	p.T.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{
		"transport_url": base64.StdEncoding.EncodeToString([]byte(url)),
		"ca.crt":        base64.StdEncoding.EncodeToString(ca)}}}
	u.SetNamespace("cloud")
	u.SetName(bus + "-bus-listener")
	p.Create(u)
}

// authority is the certificate of one.
func authority(t *testing.T, name string) []byte {
	t.Helper()
	ca, err := pki.NewCA(name, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return ca.Cert
}

// wantURLs checks what the Secret for Clouds has.
func wantURLs(p *kittest.Play, ca []byte, want ...string) {
	p.T.Helper()
	b, err := base64.StdEncoding.DecodeString(field(p, "Secret/first-notifications", "data", "transport_url").(string))
	if got := string(b); err != nil || got != strings.Join(want, "\n") {
		p.T.Errorf("the Secret has %q: %v, want %q", got, err, want)
	}
	trusted := base64.StdEncoding.EncodeToString(ca)
	if got := field(p, "Secret/first-notifications", "data", "ca.crt"); got != trusted {
		p.T.Errorf("ca.crt is %v, want %s", got, trusted)
	}
}

// Messages cost something, so that there are none unless somebody asks for them.
func TestKeystoneNotifiesWhenAsked(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		if got := field(p, "Keystone/first-keystone", "spec", "rabbitmq"); got != nil {
			t.Errorf("Keystone notifies RabbitMQ %v although nobody asked for it", got)
		}
		p.Change(cloud, "spec.services", map[string]any{"keystone": map[string]any{"notifications": true}})
		p.Settle()
		if got := field(p, "Keystone/first-keystone", "spec", "rabbitmq"); got != "first-rabbitmq" {
			t.Errorf("Keystone notifies %v, want first-rabbitmq", got)
		}
		got := field(p, "Cloud/first-keystone", "spec", "notifications", "secretRef", "name")
		if got != "first-notifications" {
			t.Errorf("the Cloud listens by Secret %v", got)
		}
		if c := p.Condition(cloud, "NotificationsReady"); !strings.Contains(c.Message, "MessageBus first-keystone") {
			t.Errorf("without the account the condition is %v", c)
		}
		ca := authority(t, "mq")
		account(p, "first-keystone", "rabbit://k:1@mq:5671/k", ca)
		p.Settle()
		p.Ready()
		wantURLs(p, ca, "rabbit://k:1@mq:5671/k?exchange=keystone")
		p.Change(cloud, "spec.services", nil)
		p.Settle()
		p.Ready()
		if got := field(p, "Keystone/first-keystone", "spec", "rabbitmq"); got != nil {
			t.Errorf("Keystone still notifies %v", got)
		}
		if got := field(p, "Cloud/first-keystone", "spec", "notifications"); got != nil {
			t.Errorf("the Cloud still listens: %v", got)
		}
	})
}

// Where Keystone tells of changes, Barbican hears of projects that are deleted.
func TestBarbicanHearsKeystone(t *testing.T) {
	heard := func(p *kittest.Play) any {
		return field(p, "Barbican/first-barbican", "spec", "keystoneListener", "secret")
	}
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", map[string]any{"barbican": map[string]any{}})
		p.Settle()
		if got := heard(p); got != nil {
			t.Errorf("Barbican hears Keystone by %v, which tells nothing", got)
		}
		p.Change(cloud, "spec.notifications", true)
		p.Settle()
		if got := heard(p); got != "first-keystone-bus-listener" {
			t.Errorf("Barbican hears Keystone by %v, want first-keystone-bus-listener", got)
		}
	})
}

// One field turns it on for all services, and for those of Nova's cells. A cell's RabbitMQ may be known by an authority
// of its own, in a file that does not end in a new line.
func TestEverybodyNotifiesWhenAsked(t *testing.T) {
	kittest.New(t, withNova()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", all(map[string]any{}))
		p.Change(cloud, "spec.notifications", true)
		p.Settle()
		for _, kind := range []string{"Neutron/first-neutron", "Nova/first-nova"} {
			if got, _ := field(p, kind, "spec", "notifications").(bool); !got {
				t.Errorf("%s does not notify", kind)
			}
		}
		for _, kind := range []string{"Keystone/first-keystone", "Glance/first-glance"} {
			if got := field(p, kind, "spec", "rabbitmq"); got != "first-rabbitmq" {
				t.Errorf("%s notifies %v", kind, got)
			}
		}
		ca, other := authority(t, "mq"), authority(t, "other")
		account(p, "first-nova-cell1", "rabbit://c:1@other:5671/c", other)
		account(p, "first-neutron", "rabbit://n:1@mq:5671/n", bytes.TrimSpace(ca))
		p.Settle()
		p.Ready() // those that are not there yet keep nobody waiting
		wantURLs(p, slices.Concat(ca, other), "rabbit://n:1@mq:5671/n?exchange=neutron",
			"rabbit://c:1@other:5671/c?exchange=nova")
	})
}
