package database_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/infra/database"
	"stackwright.dev/stackwright/internal/infra/galera/fake"
	"stackwright.dev/stackwright/internal/infra/infratest"
)

const app = "Database/cloud/my-app"

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	s := infratest.Scenario(t, func(outside http.RoundTripper) kit.Definition[*infrav1.Database] {
		return database.Definition(fake.Dial(outside))
	}, "databases", "galeras")
	s.Outside = func() http.RoundTripper {
		m := fake.New()
		m.Run("db-0", "db-1", "db-2")
		return m
	}
	return s
}

func play(t *testing.T, f func(p *kittest.Play, m *fake.Members)) {
	t.Helper()
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		f(p, infratest.Outside[*fake.Members](p))
	})
}

// key returns a key of the Database's Secret.
func key(p *kittest.Play, name string) string {
	p.T.Helper()
	text, _, _ := unstructured.NestedString(p.Object("Secret/cloud/my-app-db").Object, "data", name)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) == 0 {
		p.T.Errorf("key %s is missing: %v", name, err)
	}
	return string(b)
}

func TestGolden(t *testing.T)   { kittest.New(t, scenario(t)).Golden(t, "testdata/minimal.yaml") }
func TestLongName(t *testing.T) { infratest.LongName(t, scenario(t), app) }
func TestBudget(t *testing.T)   { kittest.New(t, scenario(t)).Budget(t, 0, 0) }
func TestCrash(t *testing.T)    { kittest.New(t, scenario(t)).Crash(t, nil) }

func TestSecretIsWhatTheDatabaseHas(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		d, ok := m.Database("my_app")
		if !ok || d.User != "my_app" || d.Owner != "cloud/my-app" || d.Password != key(p, "password") || !d.RequireTLS {
			t.Errorf("there is %t, user %q of %q, TLS %t, and the password is the Secret's: %t",
				ok, d.User, d.Owner, d.RequireTLS, d.Password == key(p, "password"))
		}
		want := fmt.Sprintf("mysql+pymysql://my_app:%s@db.cloud.svc:3306/my_app?charset=utf8mb4", key(p, "password"))
		if key(p, "connection") != want || key(p, "ca.crt") != "root" || key(p, "host") != "db.cloud.svc" {
			t.Error("the Secret's connection, ca.crt or host is wrong")
		}
	})
}

func TestSchemaHasTheCharacterSet(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		old := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "infra.stackwright.dev/v1alpha1",
			"kind": "Database", "spec": map[string]any{"galera": "db", "characterSet": "utf8mb3"}}}
		old.SetNamespace("cloud")
		old.SetName("old")
		p.Create(old)
		p.Settle()
		p.Ready()
		for schema, want := range map[string]string{"my_app": "utf8mb4", "old": "utf8mb3"} {
			if d, ok := m.Database(schema); !ok || d.CharacterSet != want {
				t.Errorf("schema %s is made in %q, want %s", schema, d.CharacterSet, want)
			}
		}
		said, _, _ := unstructured.NestedString(p.Object("Secret/cloud/old-db").Object, "data", "connection")
		connection, err := base64.StdEncoding.DecodeString(said)
		if err != nil || !strings.HasSuffix(string(connection), "?charset=utf8mb3") {
			t.Errorf("the connection of a schema in utf8mb3 does not say so: %v", err)
		}
	})
}

func TestPasswordRotates(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		before := key(p, "password")
		p.Change(app, "spec.rotatePassword", "2026-02")
		p.Settle()
		p.Ready()
		d, _ := m.Database("my_app")
		if now := key(p, "password"); now == before || now != d.Password {
			t.Errorf("the password changed: %t; the database has it: %t", now != before, now == d.Password)
		}
	})
}

// Somebody may write a password of their own, as text that ends in a line feed. Clients take what is behind the percent
// signs of an address for it, and nothing else: a plus is a plus.
func TestPasswordMayBeAnything(t *testing.T) {
	const odd = `a b+c%20,"d'$HOME@/:?#[é`
	play(t, func(p *kittest.Play, m *fake.Members) {
		p.Change("Secret/cloud/my-app-db", "data.password", base64.StdEncoding.EncodeToString([]byte(odd+"\n")))
		p.Settle()
		p.Ready()
		if d, _ := m.Database("my_app"); d.Password != odd {
			t.Errorf("the database has password %q", d.Password)
		}
		_, rest, _ := strings.Cut(key(p, "connection"), "://my_app:")
		escaped, _, _ := strings.Cut(rest, "@db.cloud.svc:")
		if got, err := url.PathUnescape(escaped); err != nil || got != odd || strings.ContainsAny(escaped, "+,@/:$ ") {
			t.Errorf("clients read %q of %q, %v", got, escaped, err)
		}
	})
}

func TestPausedKeepsItsPassword(t *testing.T) {
	play(t, func(p *kittest.Play, _ *fake.Members) {
		before := key(p, "password")
		p.Change(app, "spec.paused", true)
		p.Change(app, "spec.rotatePassword", "2026-02")
		p.Settle()
		if c := p.Condition(app, "Paused"); c.Status != "True" || key(p, "password") != before {
			t.Errorf("Paused is %s, and the password stayed: %t", c.Status, key(p, "password") == before)
		}
		p.Change(app, "spec.paused", false)
		p.Settle()
		p.Ready()
		if key(p, "password") == before {
			t.Error("the password is the old one after the pause")
		}
	})
}

func TestDeletedSecretComesBackAndWorks(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		p.Remove("Secret/cloud/my-app-db")
		p.Settle()
		p.Ready()
		if d, _ := m.Database("my_app"); d.Password != key(p, "password") {
			t.Error("the database does not have the password of the new Secret")
		}
	})
}

func TestSchemaOfAnotherIsLeftAlone(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		m.Put(wire.Database{Name: "taken", Owner: "cloud/other", Password: "theirs"})
		u := p.Object(app).DeepCopy()
		u.Object = map[string]any{"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(),
			"metadata": map[string]any{"name": "second", "namespace": "cloud"},
			"spec":     map[string]any{"galera": "db", "database": "taken"}}
		if err := p.Client.Create(p.T.Context(), u); err != nil {
			t.Fatal(err)
		}
		p.Settle()
		if c := p.Condition("Database/cloud/second", "DatabaseReady"); !strings.Contains(c.Message,
			"belongs to Database cloud/other") {
			t.Errorf("DatabaseReady is %s: %s", c.Reason, c.Message)
		}
		if d, _ := m.Database("taken"); d.Password != "theirs" {
			t.Error("the other's password was changed")
		}
	})
}

// An account is for one Database: a second one is told whose it is, and changes nothing of the first one's.
func TestAccountOfAnotherIsLeftAlone(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		second := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "infra.stackwright.dev/v1alpha1",
			"kind": "Database", "spec": map[string]any{"galera": "db", "username": "my_app", "deletionPolicy": "Delete"}}}
		second.SetNamespace("cloud")
		second.SetName("second")
		p.Create(second)
		p.Settle()
		c := p.Condition("Database/cloud/second", "DatabaseReady")
		if c.Status != "False" || c.Reason != "Conflict" || !strings.Contains(c.Message,
			"account my_app belongs to Database cloud/my-app; make this Database again with another spec.username") {
			t.Errorf("DatabaseReady is %s, %s: %s", c.Status, c.Reason, c.Message)
		}
		p.Remove("Database/cloud/second")
		p.Settle()
		p.Ready()
		if d, ok := m.Database("my_app"); !ok || d.Password != key(p, "password") {
			t.Errorf("the first schema is there: %t, and its Secret does not work any more", ok)
		}
	})
}

func TestDeletionKeepsDataUnlessAsked(t *testing.T) {
	for policy, kept := range map[string]bool{"": true, "Retain": true, "Delete": false} {
		t.Run(cmp.Or(policy, "default"), func(t *testing.T) {
			play(t, func(p *kittest.Play, m *fake.Members) {
				if policy != "" {
					p.Change(app, "spec.deletionPolicy", policy)
					p.Settle()
				}
				p.Remove(app)
				p.Settle()
				if _, ok := m.Database("my_app"); ok != kept {
					t.Errorf("the schema is there: %t, want %t", ok, kept)
				}
				if there := p.Object("Secret/cloud/my-app-db") != nil; there != kept {
					t.Errorf("the Secret is there: %t, want %t", there, kept)
				}
			})
		})
	}
}
