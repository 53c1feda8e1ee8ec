package messagebus_test

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/rabbitmq"
	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/infra/messagebus"
	"stackwright.dev/stackwright/internal/infra/rabbitmq/fake"
)

const bus = "MessageBus/cloud/nova"

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	s := infratest.Scenario(t, func(outside http.RoundTripper) kit.Definition[*infrav1.MessageBus] {
		return messagebus.Definition(fake.Dial(outside))
	}, "messagebuses", "rabbitmqs")
	s.Outside = func() http.RoundTripper { return fake.New() }
	return s
}

func members(p *kittest.Play) *fake.Members { return infratest.Outside[*fake.Members](p) }

// key returns a key of the bus's Secret.
func key(p *kittest.Play, name string) string {
	p.T.Helper()
	return value(p, p.Object("Secret/cloud/nova-bus"), name)
}

func value(p *kittest.Play, secret *unstructured.Unstructured, name string) string {
	p.T.Helper()
	text, _, _ := unstructured.NestedString(secret.Object, "data", name)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) == 0 {
		p.T.Errorf("key %s is %q: %v", name, text, err)
	}
	return string(b)
}

func TestGolden(t *testing.T)   { kittest.New(t, scenario(t)).Golden(t, "testdata/minimal.yaml") }
func TestLongName(t *testing.T) { infratest.LongName(t, scenario(t), bus) }
func TestBudget(t *testing.T)   { kittest.New(t, scenario(t)).Budget(t, 0, 0) }
func TestCrash(t *testing.T)    { kittest.New(t, scenario(t)).Crash(t, nil) }

func TestSecretIsWhatTheBrokerHas(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		b, ok := members(p).Bus("nova")
		if !ok || b.Owner != "cloud/nova" || b.User != "nova" || b.Password != key(p, "password") {
			t.Errorf("the broker has %q of %q with user %q, and its password is the Secret's: %t",
				b.VHost, b.Owner, b.User, b.Password == key(p, "password"))
		}
		account := url.UserPassword("nova", key(p, "password")).String() + "@mq-"
		want := "rabbit://" + account + "0.mq-members.cloud.svc:5671," + account + "1.mq-members.cloud.svc:5671," +
			account + "2.mq-members.cloud.svc:5671/nova"
		if key(p, "transport_url") != want {
			t.Error("transport_url does not name all members with the account and the virtual host")
		}
		for name, want := range map[string]string{"vhost": "nova", "username": "nova", "port": "5671", "ca.crt": "ca"} {
			if got := key(p, name); got != want {
				t.Errorf("key %s is %q, want %q", name, got, want)
			}
		}
	})
}

// Who listens gets an account of its own, which goes when nobody is to listen any more.
func TestListenerHasAnAccount(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		if b, _ := members(p).Bus("nova"); b.ListenerPassword != "" {
			t.Error("there is an account to listen that nobody asked for")
		}
		p.Change(bus, "spec.listener", true)
		p.Settle()
		p.Ready()
		of := p.Object("Secret/cloud/nova-bus-listener")
		b, _ := members(p).Bus("nova")
		at := value(p, of, "transport_url")
		if b.ListenerPassword == "" || b.ListenerPassword == b.Password ||
			!strings.Contains(at, "//nova-listener:"+b.ListenerPassword+"@mq-0") || !strings.HasSuffix(at, "/nova") {
			t.Error("the Secret has not what the broker has")
		}
		name, _, _ := unstructured.NestedString(p.Object(bus).Object, "status", "listenerSecretName")
		if name != of.GetName() {
			t.Errorf("the status names Secret %q", name)
		}
		p.Change(bus, "spec.listener", nil)
		p.Settle()
		p.Ready()
		if b, _ := members(p).Bus("nova"); b.ListenerPassword != "" {
			t.Error("the account stays when nobody listens")
		}
		if slices.ContainsFunc(p.Objects(), func(u *unstructured.Unstructured) bool { return u.GetName() == of.GetName() }) {
			t.Error("the Secret stays when nobody listens")
		}
	})
}

func TestDeletedSecretComesBackWithANewPassword(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		before := key(p, "password")
		p.Remove("Secret/cloud/nova-bus")
		p.Settle()
		p.Ready()
		b, _ := members(p).Bus("nova")
		if after := key(p, "password"); after == before || b.Password != after {
			t.Errorf("password changed: %t, the broker has the new one: %t", after != before, b.Password == after)
		}
	})
}

// Somebody may write a password of their own, as text that ends in a line feed. In the address a comma is between
// hosts.
func TestPasswordMayBeAnything(t *testing.T) {
	const odd = `a b+c%20,"d'$HOME@:?#[é`
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Change("Secret/cloud/nova-bus", "data.password", base64.StdEncoding.EncodeToString([]byte(odd+"\n")))
		p.Settle()
		p.Ready()
		if b, _ := members(p).Bus("nova"); b.Password != odd {
			t.Errorf("the broker has password %q", b.Password)
		}
		for host := range strings.SplitSeq(strings.TrimPrefix(key(p, "transport_url"), "rabbit://"), ",") {
			account, _, _ := strings.Cut(host, "@mq-")
			if got, err := url.PathUnescape(account); err != nil || got != "nova:"+odd {
				t.Errorf("clients read %q of %q, %v", got, account, err)
			}
		}
	})
}

// A slash is what clients cannot have in it: nothing changes for them, and the condition says what to do.
func TestPasswordHasNoSlash(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		before, _ := members(p).Bus("nova")
		at := key(p, "transport_url")
		p.Change("Secret/cloud/nova-bus", "data.password", base64.StdEncoding.EncodeToString([]byte("one/other")))
		p.Settle()
		c := p.Condition(bus, "Ready")
		if c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, "write one without a slash") {
			t.Errorf("of a slash is said: %+v", c)
		}
		if now, _ := members(p).Bus("nova"); now.Password != before.Password || key(p, "transport_url") != at {
			t.Error("a password that clients cannot have is taken")
		}
		p.Change("Secret/cloud/nova-bus", "data.password", base64.StdEncoding.EncodeToString([]byte("other")))
		p.Settle()
		p.Ready()
		if now, _ := members(p).Bus("nova"); now.Password != "other" {
			t.Errorf("the broker has password %q", now.Password)
		}
	})
}

func TestBusIsMadeAgainInANewFormation(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		b, _ := members(p).Bus("nova")
		caller, err := fake.Dial(members(p))(struct{ CA, Cert, Key []byte }{})
		if err != nil {
			t.Fatal(err)
		}
		if err := caller.Call(t.Context(), "mq-0.mq-members.cloud.svc", "DELETE /v1/bus", b, nil); err != nil {
			t.Fatal(err)
		}
		setEpoch(p, 2)
		p.Settle()
		p.Ready()
		if again, ok := members(p).Bus("nova"); !ok || again.Password != b.Password {
			t.Error("the virtual host was not made again with the same password")
		}
	})
}

func setEpoch(p *kittest.Play, n int64) {
	p.T.Helper()
	u := p.Object("RabbitMQ/cloud/mq")
	if err := unstructured.SetNestedField(u.Object, n, "status", "epoch"); err != nil {
		p.T.Fatal(err)
	}
	if err := p.Client.Status().Update(p.T.Context(), u); err != nil {
		p.T.Fatal(err)
	}
}

func TestAnotherMembersAgentIsAskedWhenOneIsGone(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		members(p).Silence(true, "mq-0", "mq-1")
		p.Remove("Secret/cloud/nova-bus")
		p.Settle()
		p.Ready()
		if b, _ := members(p).Bus("nova"); b.Password != key(p, "password") {
			t.Error("the broker does not have the new password")
		}
	})
}

func TestVirtualHostOfAnotherIsNotTaken(t *testing.T) {
	s := scenario(t)
	s.Outside = func() http.RoundTripper {
		m := fake.New()
		caller, err := fake.Dial(m)(struct{ CA, Cert, Key []byte }{})
		if err != nil {
			t.Fatal(err)
		}
		foreign := wire.Bus{Owner: "cloud/other", VHost: "nova", User: "other", Password: "x"}
		if err := caller.Call(t.Context(), "mq-0.mq-members.cloud.svc", "PUT /v1/bus", foreign, nil); err != nil {
			t.Fatal(err)
		}
		return m
	}
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		c := p.Condition(bus, "MessageBusReady")
		if c.Reason != "Conflict" || !strings.Contains(c.Message, "belongs to MessageBus cloud/other") {
			t.Errorf("MessageBusReady is %s: %s", c.Reason, c.Message)
		}
		p.Remove(bus)
		p.Settle()
		if _, ok := members(p).Bus("nova"); !ok {
			t.Error("the virtual host of another MessageBus was removed")
		}
	})
}

func TestDeletion(t *testing.T) {
	for policy, kept := range map[string]bool{"": false, "Delete": false, "Retain": true} {
		t.Run(cmp.Or(policy, "default"), func(t *testing.T) {
			kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
				if policy != "" {
					p.Change(bus, "spec.deletionPolicy", policy)
					p.Settle()
				}
				p.Remove(bus)
				p.Settle()
				if _, ok := members(p).Bus("nova"); ok != kept {
					t.Errorf("the virtual host is there: %t, want %t", ok, kept)
				}
				if p.Object(bus) != nil || (p.Object("Secret/cloud/nova-bus") != nil) != kept {
					t.Errorf("the object is there: %t, its Secret: %t", p.Object(bus) != nil, p.Object("Secret/cloud/nova-bus") != nil)
				}
			})
		})
	}
}

// Without its broker there is nothing left to remove, and a deletion must not wait for it.
func TestDeletionAfterTheBroker(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Remove("RabbitMQ/cloud/mq")
		members(p).Silence(true, "mq-0", "mq-1", "mq-2")
		p.Remove(bus)
		p.Settle()
		if p.Object(bus) != nil {
			t.Error("the MessageBus is still there")
		}
	})
}
