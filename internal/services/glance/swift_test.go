package glance_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// Stores in a Swift, one that a Keystone knows and one without. What they are known by is in testdata/given.yaml.
const (
	away = "{name: away, swift: {authURL: 'https://identity.example.org:5000/v3/', container: images, " +
		"secret: swift-glance, region: RegionTwo, interface: internal, userDomain: Services, projectDomain: 50% off}}"
	old = "{name: old, swift: {authURL: 'http://swift.example.org/auth/v1.0', authVersion: 1, container: old, " +
		"secret: swift-glance}}"
)

// User and password are in a file beside the configuration, to which the addresses of images lead by the store's name.
func TestStoresInSwift(t *testing.T) {
	s := kind().Scenario(t, "spec: {config: {away: {swift_store_create_container_on_put: true}}, stores: ["+away+", "+
		old+", "+far+"]}")
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "glance-config")
		for file, wants := range map[string][]string{
			"glance-api.conf": {
				"enabled_backends = away:swift,old:swift,far:s3\n", "default_backend = away\n",
				"[away]\ndefault_swift_reference = away\n" +
					"swift_store_cacert = /etc/stackwright/config/swift-away-ca.crt\n" +
					"swift_store_config_file = /etc/stackwright/config/swift-away.conf\nswift_store_container = images\n" +
					"swift_store_create_container_on_put = true\nswift_store_endpoint_type = internalURL\n" +
					"swift_store_region = RegionTwo\n\n",
				"[old]\ndefault_swift_reference = old\nswift_store_cacert = /etc/stackwright/config/swift-old-ca.crt\n" +
					"swift_store_config_file = /etc/stackwright/config/swift-old.conf\nswift_store_container = old\n\n",
			},
			"swift-away.conf": {"[away]\nauth_version = \"3\"\nauth_address = \"https://identity.example.org:5000/v3\"\n" +
				"user = \"service:glance\"\nkey = \"5%%s$'er/et\"\nuser_domain_name = \"Services\"\n" +
				"project_domain_name = \"50%% off\"\n"},
			"swift-old.conf": {"[old]\nauth_version = \"1\"\nauth_address = \"http://swift.example.org/auth/v1.0\"\n" +
				"user = \"service:glance\"\nkey = \"5%%s$'er/et\"\n"},
			"swift-old-ca.crt":     {"-----BEGIN CERTIFICATE-----"},
			"uwsgi.ini":            {"\nimport = stackwright_s3\nimport = stackwright_swift\n"},
			"stackwright_swift.py": {"wsgi._UWSGIChunkFile"},
		} {
			for _, want := range wants {
				if !strings.Contains(config[file], want) {
					t.Errorf("%s lacks\n%s\nit is\n%s", file, want, config[file])
				}
			}
		}
		if strings.Contains(p.Applied(), "er/et") || strings.Contains(config["glance-api.conf"], "er/et") {
			t.Error("the password is somewhere else than in the file of the store")
		}
	})
}

// The password in a new Secret is taken up: it is in the configuration, which the pods change to.
func TestThePasswordOfASwiftIsReplaced(t *testing.T) {
	s := kind().Scenario(t, "spec: {stores: ["+away+"]}")
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := servicetest.Secret(p, "glance-config")["hash"]
		p.Change("Secret/cloud/swift-glance", "data.key", "bmV3")
		p.Settle()
		p.Ready()
		config := servicetest.Secret(p, "glance-config")
		if !strings.Contains(config["swift-away.conf"], "key = \"new\"\n") || config["hash"] == before {
			t.Errorf("the configuration has not the new password:\n%s", config["swift-away.conf"])
		}
	})
}

// What the Secret of a store in a Swift lacks is said by the store's condition, with what to do.
func TestSecretsOfSwiftAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		store  string
		data   map[string]string
		reason string
		want   string
	}{
		"none": {away, nil, "", "swift-glance"},
		"no user": {away, map[string]string{"key": "hush"}, "InvalidStore",
			"store away: the Secret swift-glance has no user; add PROJECT:USER, by the names that Keystone knows"},
		"no user of another": {old, map[string]string{"key": "hush"}, "InvalidStore",
			"store old: the Secret swift-glance has no user; add it as Swift knows it, such as ACCOUNT:USER"},
		"no project": {away, map[string]string{"user": "glance", "key": "hush"}, "InvalidStore",
			"has a user that is not PROJECT:USER; write the names of both"},
		"an empty project": {away, map[string]string{"user": ":glance", "key": "hush"}, "InvalidStore",
			"has a user that is not PROJECT:USER"},
		"a domain": {away, map[string]string{"user": "Default:service:glance", "key": "hush"}, "InvalidStore",
			"with one colon between, and their domains into userDomain and projectDomain"},
		"no key": {away, map[string]string{"user": "service:glance", "key": " \n"}, "InvalidStore",
			"has no key; add the password of its user"},
		"two lines": {away, map[string]string{"user": "service:glance", "key": "hush\n[other]"}, "InvalidStore",
			"has something of several lines; write user and key in one each"},
		"no certificate": {away, map[string]string{"user": "service:glance", "key": "hush", "ca.crt": "/etc/ssl/ca.pem"},
			"InvalidStore", "has no certificate in ca.crt; put that of the endpoint's"},
	} {
		t.Run(name, func(t *testing.T) {
			s := kind().Scenario(t, "spec: {stores: ["+c.store+"]}")
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				if c.data != nil {
					servicetest.Must(t, p.Client.Create(t.Context(), swiftSecret(c.data)))
				}
				p.Settle()
				got := p.Condition(kind().Object, "StoresReady")
				if got.Status != "False" || !strings.Contains(got.Message, c.want) ||
					(c.reason != "" && got.Reason != c.reason) || strings.Contains(got.Message, "hush") {
					t.Errorf("StoresReady is %s, %s: %s; want %s", got.Status, got.Reason, got.Message, c.want)
				}
				if p.Object("Deployment/cloud/glance-api") != nil {
					t.Error("the API runs without its store")
				}
			})
		})
	}
}

// swiftSecret is that of the stores, as the API server has it.
func swiftSecret(content map[string]string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "cloud", Name: "swift-glance"}, Data: map[string][]byte{}}
	for key, value := range content {
		s.Data[key] = []byte(value)
	}
	return s
}

// A user of another way than Keystone's is whatever Swift takes.
func TestUsersWithoutKeystone(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "spec: {stores: ["+old+"]}")).Run(t, func(p *kittest.Play) {
		given := map[string]string{"user": "glance", "key": `"quoted" %(user)s`}
		servicetest.Must(t, p.Client.Create(t.Context(), swiftSecret(given)))
		p.Settle()
		p.Ready()
		config := servicetest.Secret(p, "glance-config")
		if want := "user = \"glance\"\nkey = \"\"quoted\" %%(user)s\"\n"; !strings.Contains(config["swift-old.conf"], want) {
			t.Errorf("the file is\n%s\nit lacks\n%s", config["swift-old.conf"], want)
		}
		if strings.Contains(config["glance-api.conf"], "cacert") {
			t.Error("there is no certificate to know Swift by")
		}
	})
}
