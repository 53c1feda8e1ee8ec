package keystone_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

const identity = "Keystone/cloud/identity"

// writes returns the names of the objects that are written while f runs, without events and the status of the owner.
func writes(p *kittest.Play, f func()) []string {
	p.T.Helper()
	_, all := p.During(func() { f(); p.Settle() })
	var names []string
	for _, w := range all {
		path, _, _ := strings.Cut(strings.Fields(w)[1], "?")
		if strings.Contains(path, "/events") || strings.HasSuffix(path, "/status") {
			continue
		}
		parts := strings.Split(path, "/")
		names = append(names, parts[len(parts)-2]+"/"+hashed.ReplaceAllString(parts[len(parts)-1], "-HASH"))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func data(p *kittest.Play, name, key, value string) {
	p.T.Helper()
	p.Change("Secret/cloud/"+name, "data."+key, base64.StdEncoding.EncodeToString([]byte(value)))
}

func jobs(p *kittest.Play) []string {
	p.T.Helper()
	var names []string
	for _, u := range p.Objects() {
		if u.GetKind() == "Job" {
			names = append(names, u.GetName())
		}
	}
	return names
}

// A wrong option leaves everything as it runs, and the condition tells what would be right.
func TestWrongOptionChangesNothing(t *testing.T) {
	const one = "rendering step config: "
	for name, c := range map[string]struct {
		path  string
		value any
		want  string
	}{
		"section": {"spec.config", map[string]any{"tokn": map[string]any{"expiration": int64(5)}},
			one + "spec.config: keystone of release epoxy has no section [tokn]; did you mean [token]?"},
		"option": {"spec.config", map[string]any{"token": map[string]any{"expiraton": int64(5)}},
			one + "spec.config: keystone of release epoxy has no option expiraton in section [token]; did you mean expiration?"},
		"type": {"spec.config", map[string]any{"cache": map[string]any{"enabled": "perhaps"}},
			one + `spec.config: [cache] enabled must be true or false, not "perhaps"`},
		"object": {"spec.config", map[string]any{"cache": map[string]any{"enabled": map[string]any{"a": "b"}}},
			one + "spec.config: [cache] enabled is an object; use a string, a number, a boolean or a list of these"},
		"fragment": {"spec.configFrom", []any{map[string]any{"configMap": "wrong"}},
			one + "ConfigMap wrong, key a.conf: line 2 is neither a section nor an option; write option = value"},
		"hidden": {"spec.configFrom", []any{map[string]any{"secret": "hidden"}},
			one + "Secret hidden, key a.conf: [token] expiration must be an integer of at least 0 " +
				"and at most 9223372036854775807"},
		"release": {"spec.release", "yoga",
			one + "spec.release: release yoga has no catalogue of the options of keystone"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenario(t, "")
			s.Files = append(s.Files, "testdata/fragments.yaml")
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Settle()
				before := secret(p, "identity-config")
				got := writes(p, func() { p.Change(identity, c.path, c.value) })
				if len(got) > 0 {
					t.Errorf("it wrote %v", got)
				}
				condition := p.Condition(identity, "ConfigReady")
				if condition.Reason != "InvalidConfig" || !strings.HasPrefix(condition.Message, c.want) {
					t.Errorf("the condition is %s: %s\nwant %s", condition.Reason, condition.Message, c.want)
				}
				if ready := p.Condition(identity, "Ready"); ready.Status != metav1.ConditionFalse {
					t.Errorf("the object says Ready=%s", ready.Status)
				}
				p.Change(identity, c.path, nil)
				p.Settle()
				p.Ready()
				if diff := cmp.Diff(before, secret(p, "identity-config")); diff != "" {
					t.Errorf("taken back, the configuration differs (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A new option rolls the API and runs no Job. The old configuration stays until the last old pod is gone.
func TestOptionRollsTheAPI(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Settle()
		before := secret(p, "identity-config")["hash"]
		p.Behave("Deployment", kittest.Hold)
		got := writes(p, func() {
			p.Change(identity, "spec.config", map[string]any{"token": map[string]any{"expiration": int64(600)}})
		})
		want := []string{"deployments/identity-api", "secrets/identity-config", "secrets/identity-config-HASH"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the writes differ (-want +got):\n%s", diff)
		}
		after := secret(p, "identity-config")
		if after["hash"] == before || !strings.Contains(after["keystone.conf"], "expiration = 600") {
			t.Errorf("the configuration is %s\n%s", after["hash"], after["keystone.conf"])
		}
		if p.Object("Secret/cloud/identity-config-"+before) == nil {
			t.Error("the configuration of the old pods is gone before they are")
		}
		p.Behave("Deployment", kittest.Ready)
		p.Settle()
		p.Ready()
		if p.Object("Secret/cloud/identity-config-"+before) != nil {
			t.Error("the old configuration is still there")
		}
	})
}

// The Secret with the caches' authority is away for a moment, as when somebody deletes it: the pods keep what they
// have.
func TestMissingCacheAuthorityRollsNothing(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Settle()
		if got := writes(p, func() { p.Remove("Secret/cloud/cache-client") }); len(got) > 0 {
			t.Errorf("it wrote %v", got)
		}
	})
}

// A new password becomes the valid one first, and clients hear of it afterwards.
func TestPasswordTakesEffectBeforeClientsHearOfIt(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Settle()
		p.Behave("Job", kittest.Hold)
		before := secret(p, "identity-clouds")["clouds.yaml"]
		// The Secret is written to take it over as it is: the operator had made what is changed.
		want := []string{"jobs/identity-bootstrap-HASH", "secrets/identity-admin"}
		if got := writes(p, func() { data(p, "identity-admin", "password", "n3w\n") }); !cmp.Equal(got, want) {
			t.Errorf("it wrote %v", got)
		}
		if secret(p, "identity-clouds")["clouds.yaml"] != before {
			t.Error("clients have a password that does not work yet")
		}
		p.Behave("Job", kittest.Ready)
		p.Settle()
		p.Ready()
		if clouds := secret(p, "identity-clouds")["clouds.yaml"]; !strings.Contains(clouds, "password: n3w\n") {
			t.Errorf("clients do not have the new password:\n%s", clouds)
		}
		for _, u := range p.Objects() {
			if text := dump(t, u); u.GetKind() != "Secret" && strings.Contains(text, "n3w") {
				t.Errorf("%s %s shows the password", u.GetKind(), u.GetName())
			}
		}
		given := p.Object("Secret/cloud/identity-admin").DeepCopy()
		given.Object = map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"password": "Cg=="},
			"metadata": map[string]any{"name": "given", "namespace": "cloud"}}
		if err := p.Client.Create(p.T.Context(), given); err != nil {
			t.Fatal(err)
		}
		p.Change(identity, "spec.adminPasswordSecret", "given")
		p.Settle()
		if c := p.Condition(identity, "BootstrapReady"); !strings.HasSuffix(c.Message,
			"Secret given has an empty password; set a password") {
			t.Errorf("with an empty password the condition is %s: %s", c.Reason, c.Message)
		}
	})
}

// The same step runs on a schema once: not again for a restart, an option, or a replica.
func TestSchemaJobsRunOnce(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Settle()
		before := jobs(p)
		p.Change(identity, "spec.replicas", int64(3))
		p.Change(identity, "spec.config", map[string]any{"token": map[string]any{"expiration": int64(600)}})
		p.Settle()
		p.Restart()
		p.Settle()
		if diff := cmp.Diff(before, jobs(p)); diff != "" {
			t.Errorf("the Jobs differ (-before +after):\n%s", diff)
		}
		p.Change(identity, "spec.image", "images.example.org/keystone:next")
		p.Settle()
		p.Ready()
		for _, job := range before {
			if slices.Contains(jobs(p), job) {
				t.Errorf("Job %s was not run for the new image", job)
			}
		}
	})
}

func TestMissingInputIsNamed(t *testing.T) {
	for name, c := range map[string]struct{ patch, remove, condition, want string }{
		"fragment": {"spec: {configFrom: [{secret: nowhere}]}", "", "ConfigReady",
			"Secret nowhere does not exist in namespace cloud; create it."},
		"password": {"spec: {adminPasswordSecret: nowhere}", "", "BootstrapReady",
			"Secret nowhere does not exist in namespace cloud; create it with the keys password."},
		"certificate": {"spec: {tls: {secret: nowhere}}", "", "TLSReady",
			"Secret nowhere does not exist in namespace cloud; create it."},
		"authority": {"spec: {tls: {caSecret: nowhere}}", "", "TLSReady",
			"Secret nowhere does not exist in namespace cloud; create it."},
		"cache": {"spec: {memcached: nowhere}", "", "ConfigReady",
			"Memcached nowhere does not exist in namespace cloud; create it."},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t, c.patch)).Run(t, func(p *kittest.Play) {
				p.Settle()
				if got := p.Condition(identity, c.condition); got.Message != c.want {
					t.Errorf("the condition is %s %s: %s\nwant %s", got.Status, got.Reason, got.Message, c.want)
				}
			})
		})
	}
}

// Keys, passwords and the authority outlive a service whose data is kept.
func TestDelete(t *testing.T) {
	kittest.New(t, scenario(t, "spec: {database: {deletionPolicy: Delete}}")).Delete(t, nil)
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Settle()
		before := map[string]map[string]string{}
		kept := []string{"identity-admin", "identity-ca", "identity-ca-copy", "identity-credential",
			"identity-credential-copy", "identity-fernet", "identity-fernet-copy"}
		for _, name := range kept {
			before[name] = secret(p, name)
		}
		p.Remove(identity)
		p.Settle()
		var left []string
		for _, u := range p.Objects() {
			if strings.HasPrefix(u.GetName(), "identity") && u.GetName() != "identity-db" {
				left = append(left, u.GetName())
			}
		}
		if diff := cmp.Diff(kept, left); diff != "" {
			t.Fatalf("what is left differs (-want +got):\n%s", diff)
		}
		again := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "service.stackwright.dev/v1alpha1", "kind": "Keystone",
			"metadata": map[string]any{"name": "identity", "namespace": "cloud"},
			"spec": map[string]any{"image": "images.example.org/keystone:epoxy",
				"database": map[string]any{"galera": "db"}, "memcached": "cache"},
		}}
		p.Create(again)
		p.Settle()
		p.Ready()
		for _, name := range kept {
			if diff := cmp.Diff(before[name], secret(p, name)); diff != "" {
				t.Errorf("Secret %s was not taken up again (-want +got):\n%s", name, diff)
			}
		}
	})
}

// Whatever is wrong with a certificate that is given: the pods stay as they are, and the condition says what would be
// right.
func TestCertificateThatIsGiven(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		good, other := servicetest.Certificate(p, time.Now()), servicetest.Certificate(p, time.Now())
		p.Create(servicetest.SecretOf("given", good))
		p.Change(identity, "spec.tls", map[string]any{"secret": "given"})
		p.Settle()
		p.Ready()
		old := servicetest.Certificate(p, time.Now().Add(-pki.LeafLifetime-time.Hour))
		for name, c := range map[string]struct {
			data map[string][]byte
			want string
		}{
			"no certificate": {map[string][]byte{"tls.crt": nil}, `has no key "tls.crt"; add it`},
			"no key":         {map[string][]byte{"tls.key": nil}, `has no key "tls.key"; add it`},
			"garbage":        {map[string][]byte{"tls.crt": []byte("x")}, "tls.crt: no PEM certificate found"},
			"garbage key":    {map[string][]byte{"tls.key": []byte("x")}, "tls.key: no PEM private key found"},
			"garbage ca":     {map[string][]byte{"ca.crt": []byte("x")}, "ca.crt: no PEM certificate found"},
			"another's key":  {map[string][]byte{"tls.key": other["tls.key"]}, "tls.key does not belong to the certificate"},
			"expired":        {old, "tls.crt has expired; renew it"},
		} {
			if got := writes(p, func() { content(p, "given", c.data) }); len(got) > 0 {
				t.Errorf("%s: it wrote %v", name, got)
			}
			got := p.Condition(identity, "TLSReady")
			if got.Reason != "InvalidSpec" || !strings.HasPrefix(got.Message, "Secret given ") ||
				!strings.Contains(got.Message, c.want) {
				t.Errorf("%s: the condition is %s: %s\nwant %s", name, got.Reason, got.Message, c.want)
			}
			content(p, "given", good)
			p.Settle()
			p.Ready()
		}
	})
}

func TestFailedFlushIsTold(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Settle()
		servicetest.TellsRuns(p, identity, "CronJobReady", "identity-trust-flush")
	})
}

func TestHostnameWithoutAnAddressIsTold(t *testing.T) {
	servicetest.TellsHostname(t, identity, func(patch string, cluster service.Cluster) kittest.Scenario {
		s := scenario(t, patch)
		s.Controllers = controllers(t, cluster)
		return s
	})
}

// A certificate that nobody renews is told about when it expires, not when pods come to read it.
func TestGivenCertificateExpires(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		made := time.Now().Add(2*time.Hour - pki.LeafLifetime)
		p.Create(servicetest.SecretOf("given", servicetest.Certificate(p, made)))
		p.Change(identity, "spec.tls", map[string]any{"secret": "given"})
		p.Settle()
		p.Ready()
		p.Pass(2 * time.Hour)
		p.Settle()
		if c := p.Condition(identity, "TLSReady"); !strings.Contains(c.Message, "has expired; renew it") {
			t.Errorf("the condition is %s: %s", c.Reason, c.Message)
		}
		p.Repeats()
	})
}

// content changes keys of a Secret; nil takes one out.
func content(p *kittest.Play, name string, data map[string][]byte) {
	p.T.Helper()
	changed, _, _ := unstructured.NestedMap(p.Object("Secret/cloud/"+name).Object, "data")
	for key, value := range data {
		changed[key] = base64.StdEncoding.EncodeToString(value)
		if value == nil {
			delete(changed, key)
		}
	}
	p.Change("Secret/cloud/"+name, "data", changed)
}

// A database that is lost, and made again empty, gets its schema and what bootstrap makes, and is left alone from then
// on.
func TestLostDatabaseIsFilledAgain(t *testing.T) {
	filled := func(at string) kittest.Behaviour {
		schema := map[string]any{"step": "schema", "id": "identity", "since": at}
		return kittest.With(kittest.Ready, map[string]any{"externals": []any{schema}})
	}
	const first, second = "2000-01-01T00:00:00Z", "2000-01-01T01:00:00Z"
	s := scenario(t, "spec: {database: {deletionPolicy: Delete}}")
	s.Children["Database"] = filled(first)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		back := func(at string) func() {
			return func() {
				p.Behave("Database", kittest.Told("False", "Away", "It is away."))
				p.Settle()
				p.Behave("Database", filled(at))
			}
		}
		all := []string{"jobs/identity-bootstrap-HASH", "jobs/identity-db-contract-HASH", "jobs/identity-db-expand-HASH"}
		for _, c := range []struct {
			what string
			lose func()
			want []string
		}{
			{"the same schema", back(first), nil},
			{"a new Database", func() { p.Remove("Database/cloud/identity") }, all},
			{"a new cluster", back(second), all},
			{"the same schema of the new cluster", back(second), nil},
		} {
			before := jobs(p)
			got := slices.DeleteFunc(writes(p, c.lose), func(w string) bool { return !strings.HasPrefix(w, "jobs/") })
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: it wrote %v, want %v", c.what, got, c.want)
			}
			p.Ready()
			if len(jobs(p)) != len(before) || (c.want != nil) == slices.Equal(before, jobs(p)) {
				t.Errorf("%s: there were %v, now there are %v", c.what, before, jobs(p))
			}
		}
	})
}
