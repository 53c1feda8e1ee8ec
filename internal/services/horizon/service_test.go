package horizon_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/horizon"
)

const (
	object = "Horizon/cloud/horizon"
	key    = "horizon-secret-key"
)

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: object, Service: "horizon", Guest: true,
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(horizon.Definition(cluster), operator.Scheme())
		},
	}
}

func TestPromises(t *testing.T) { kind().Promises(t) }
func TestLongName(t *testing.T) { infratest.LongName(t, kind().Scenario(t, ""), kind().Object) }

// written are the settings that the pods have, without the key.
func written(p *kittest.Play) string {
	p.T.Helper()
	text := servicetest.Secret(p, "horizon-config")["horizon.json"]
	return strings.ReplaceAll(text, servicetest.Secret(p, key)["password"], "HIDDEN")
}

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		kittest.Golden(t, "testdata/horizon.json", written(p))
		kittest.Golden(t, "testdata/uwsgi.ini", servicetest.Secret(p, "horizon-config")["uwsgi.ini"])
	})
}

// Each variant is a patch of the smallest Horizon, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"replicas": "spec: {replicas: 3, workers: 4}",
		"plain":    "spec: {tls: {disabled: true}}",
		"logos":    "spec: {branding: {logos: pictures}}",
	})
}

// What is asked for is in the settings, over what the operator says.
func TestSettings(t *testing.T) {
	for name, c := range map[string]struct {
		patch string
		want  []string
	}{
		"services": {"spec: {services: [nova, heat]}", []string{`"heat",`, `"keystone",`, `"nova"`}},
		"branding": {"spec: {branding: {siteTitle: 'Ours & yours', siteLink: 'https://example.org/'}}",
			[]string{`"SITE_BRANDING": "Ours \u0026 yours"`, `"SITE_BRANDING_LINK": "https://example.org/"`}},
		"values": {"spec: {settings: {SESSION_TIMEOUT: 7200, OPENSTACK_NEUTRON_NETWORK: {enable_ipv6: false}, " +
			"LANGUAGES: [[en, English]], OPENSTACK_ENDPOINT_TYPE: publicURL}}",
			[]string{`"SESSION_TIMEOUT": 7200`, `"enable_ipv6": false`, `"English"`, `"OPENSTACK_ENDPOINT_TYPE": "publicURL"`}},
		"plain": {"spec: {tls: {disabled: true}}", []string{`"http://192.0.2.10"`, `"SESSION_COOKIE_SECURE": false`}},
		"hostname": {"spec: {expose: {hostname: cloud.example.org}}",
			[]string{`"https://cloud.example.org"`, `"192.0.2.10",`, `"SESSION_COOKIE_SECURE": true`}},
		"behind a Gateway that decrypts": {"spec: {tls: {disabled: true}, expose: {type: HTTPRoute, " +
			"hostname: cloud.example.org, gateway: {name: front}}}",
			[]string{`"https://cloud.example.org"`, `"CSRF_COOKIE_SECURE": true`}},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, kind().Scenario(t, c.patch)).Run(t, func(p *kittest.Play) {
				p.Settle()
				text := written(p)
				for _, want := range c.want {
					if !json.Valid([]byte(text)) || !strings.Contains(text, want) {
						t.Errorf("there is no %s in\n%s", want, text)
					}
				}
			})
		})
	}
}

// Names that are none, what the operator gives, and pictures that nobody sees change nothing.
func TestWrongSettingsChangeNothing(t *testing.T) {
	s := kind().Scenario(t, "")
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		for name, says := range map[string]string{
			"SECRET_KEY":              "is given by the operator: delete the Secret",
			"OPENSTACK_SSL_NO_VERIFY": "known by the authority of spec.keystone",
			"DEBUG":                   "read the log of the pods",
			"session_timeout":         "is no name of a setting",
			"__builtins__":            "is no name of a setting",
		} {
			wrong := map[string]any{name: "true"}
			if got := servicetest.Writes(p, func() { p.Change(object, "spec.settings", wrong) }); len(got) > 0 {
				t.Errorf("setting %s wrote %v", name, got)
			}
			if c := p.Condition(object, "ConfigReady"); c.Reason != "InvalidConfig" || !strings.Contains(c.Message, says) {
				t.Errorf("with setting %s the condition is %s: %s", name, c.Reason, c.Message)
			}
		}
		p.Change(object, "spec.settings", nil)
		p.Settle()
		p.Ready()
		p.Change(object, "spec.branding", map[string]any{"logos": "pictures"})
		p.Change("ConfigMap/cloud/pictures", "data", map[string]any{"logo.png": "?"})
		p.Settle()
		c := p.Condition(object, "ConfigReady")
		if c.Reason != "InvalidConfig" || !strings.Contains(c.Message, "pictures has logo.png, which no page shows") {
			t.Errorf("with another picture the condition is %s: %s", c.Reason, c.Message)
		}
	})
}

// A setting rolls the pods, and what pods run stays until the last of them is gone.
func TestASettingRollsThePods(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		old := "Secret/cloud/horizon-config-" + servicetest.Secret(p, "horizon-config")["hash"]
		p.Behave("Deployment", kittest.Hold)
		got := servicetest.Writes(p, func() {
			p.Change(object, "spec.settings", map[string]any{"SESSION_TIMEOUT": int64(7200)})
		})
		want := []string{"deployments/horizon-api", "secrets/horizon-config", "secrets/horizon-config-HASH"}
		if diff := cmp.Diff(want, got); diff != "" || p.Object(old) == nil {
			t.Errorf("the old settings are there: %t; the writes differ (-want +got):\n%s", p.Object(old) != nil, diff)
		}
		p.Behave("Deployment", kittest.Ready)
		p.Settle()
		p.Ready()
		if p.Object(old) != nil {
			t.Error("the old settings are still there")
		}
	})
}

// All pods have the same key, nothing but Secrets shows it, and who takes it away gets another one.
func TestTheKeyIsKept(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		first := servicetest.Secret(p, key)["password"]
		if len(first) < 26 || !strings.Contains(servicetest.Secret(p, "horizon-config")["horizon.json"], first) {
			t.Errorf("the settings do not have the key, which has %d characters", len(first))
		}
		for _, u := range p.Objects() {
			text, err := u.MarshalJSON()
			servicetest.Must(t, err)
			if u.GetKind() != "Secret" && strings.Contains(string(text), first) {
				t.Errorf("%s %s shows the key", u.GetKind(), u.GetName())
			}
		}
		p.Change(object, "spec.replicas", int64(2))
		p.Restart()
		p.Settle()
		if got := servicetest.Secret(p, key)["password"]; got != first {
			t.Error("the key is another one")
		}
		p.Remove("Secret/cloud/" + key)
		p.Settle()
		p.Ready()
		second := servicetest.Secret(p, key)["password"]
		if second == first || !strings.Contains(servicetest.Secret(p, "horizon-config")["horizon.json"], second) {
			t.Error("there is no other key")
		}
	})
}

// Nothing of Keystone is made for it, nor a database: it acts as who is logged in.
func TestItIsAGuest(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, u := range p.Objects() {
			if slices.Contains([]string{"Database", "MessageBus", "User", "RoleAssignment", "Endpoint"}, u.GetKind()) {
				t.Errorf("there is %s %s", u.GetKind(), u.GetName())
			}
		}
	})
}
