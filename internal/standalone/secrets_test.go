package standalone_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/standalone"
)

// identity is an object as the chart gives it to its Job.
const identity = `{"apiVersion": "service.stackwright.dev/v1alpha1", "kind": "Keystone",
 "metadata": {"name": "identity", "namespace": "cloud"}, "spec": {"image": "images.test/keystone:1",
 "region": "RegionOne", "release": "epoxy", "database": {"galera": "db"}, "expose": {"type": "ClusterIP"},
 "configFrom": [{"secret": "options"}]}}`

func secret(name string, data map[string]string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "cloud"}, Data: map[string][]byte{}}
	for k, v := range data {
		s.Data[k] = []byte(v)
	}
	return s
}

// given are the Secrets that somebody has to make.
func given() []client.Object {
	return []client.Object{
		secret("identity-db", map[string]string{"connection": "mysql+pymysql://identity:hidden@db/identity?charset=utf8mb4",
			"password": "hidden"}),
		secret("options", map[string]string{"a.conf": "[token]\nexpiration = 600\n"}),
	}
}

func cluster(objects ...client.Object) *fake.ClientBuilder {
	return fake.NewClientBuilder().WithScheme(operator.Scheme()).WithObjects(objects...)
}

// keep runs the program and returns the names of what it made, changed and left.
func keep(t *testing.T, c client.Client, revision string) (did map[string][]string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = standalone.Keep(t.Context(), c, []byte(identity), standalone.Options{Revision: revision, Out: &out})
	if strings.Contains(out.String(), "hidden") {
		t.Errorf("the log has a password:\n%s", out.String())
	}
	did = map[string][]string{}
	for line := range strings.Lines(out.String()) {
		word, name, _ := strings.Cut(strings.TrimSpace(line), " Secret ")
		did[word] = append(did[word], strings.TrimPrefix(name, "identity-"))
		slices.Sort(did[word])
	}
	return did, err
}

func content(t *testing.T, c client.Client, name string) map[string][]byte {
	t.Helper()
	s := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "cloud", Name: "identity-" + name}, s); err != nil {
		t.Fatal(err)
	}
	return s.Data
}

var all = []string{"admin", "ca", "ca-copy", "clouds", "config", "config-0123456789abcdef", "credential",
	"credential-copy", "fernet", "fernet-copy", "tls"}

func TestSecretsAreMadeOnceAndKept(t *testing.T) {
	c := cluster(given()...).Build()
	did, err := keep(t, c, "0123456789abcdef")
	if err != nil || !slices.Equal(did["made"], all) {
		t.Fatalf("it made %q: %v; want %q", did["made"], err, all)
	}
	conf := string(content(t, c, "config-0123456789abcdef")["keystone.conf"])
	for _, line := range []string{"expiration = 600\n", "identity:hidden@db/identity"} {
		if !strings.Contains(conf, line) {
			t.Errorf("the configuration lacks %q:\n%s", line, conf)
		}
	}
	before := content(t, c, "fernet")
	did, err = keep(t, c, "0123456789abcdef")
	if err != nil || !slices.Equal(did["left"], all) {
		t.Errorf("once more it left %q and did %q: %v; want all left", did["left"], did, err)
	}
	if after := content(t, c, "fernet"); !bytes.Equal(before["0"], after["0"]) || len(before["0"]) == 0 {
		t.Error("a key is another one")
	}
	for _, name := range []string{"admin", "fernet"} {
		s := &corev1.Secret{}
		s.Name, s.Namespace = "identity-"+name, "cloud"
		if err := c.Delete(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	did, err = keep(t, c, "0123456789abcdef")
	if err != nil || !slices.Equal(did["made"], []string{"admin", "fernet"}) ||
		!slices.Equal(did["changed"], []string{"clouds"}) {
		t.Errorf("without the password and keys it made %q and changed %q: %v", did["made"], did["changed"], err)
	}
	if after := content(t, c, "fernet"); !bytes.Equal(before["0"], after["0"]) {
		t.Error("keys that were deleted come back as others, although there is a copy")
	}
}

// A configuration that pods run is never another one, which nobody would see.
func TestConfigurationsDoNotChange(t *testing.T) {
	c := cluster(given()...).Build()
	if _, err := keep(t, c, "0123456789abcdef"); err != nil {
		t.Fatal(err)
	}
	other := secret("options", map[string]string{"a.conf": "[token]\nexpiration = 900\n"})
	if err := c.Update(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	_, err := keep(t, c, "0123456789abcdef")
	if err == nil || !strings.Contains(err.Error(), "set the value standalone.revision") {
		t.Errorf("with other options in a Secret: %v", err)
	}
	did, err := keep(t, c, "second")
	if err != nil || !slices.Equal(did["made"], []string{"config-second"}) {
		t.Errorf("with another revision it made %q: %v", did["made"], err)
	}
	conf := string(content(t, c, "config-0123456789abcdef")["keystone.conf"])
	if !strings.Contains(conf, "expiration = 600\n") {
		t.Error("the first configuration is another one")
	}
}

// Pods read a certificate when they start: with another one, and only then, there are new pods.
func TestNewCertificatesMakeNewPods(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "cloud", Name: "identity-api"}}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
	d.Spec.Template.Labels = d.Spec.Selector.MatchLabels
	c := cluster(append(given(), d)...).Build()
	annotation := func(roll bool) (string, string) {
		t.Helper()
		options := standalone.Options{Revision: "first", Roll: roll, Out: io.Discard}
		err := standalone.Keep(t.Context(), c, []byte(identity), options)
		if err != nil {
			t.Fatal(err)
		}
		got := &appsv1.Deployment{}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(d), got); err != nil {
			t.Fatal(err)
		}
		return got.Spec.Template.Annotations["service.stackwright.dev/certificate"], got.ResourceVersion
	}
	if got, _ := annotation(false); got != "" {
		t.Errorf("without being asked to, it gave pods %q", got)
	}
	first, version := annotation(true)
	if again, after := annotation(true); first == "" || again != first || after != version {
		t.Errorf("the annotation was %q at %s and is %q at %s with the same certificate", first, version, again, after)
	}
	if err := c.Delete(t.Context(), secret("identity-tls", nil)); err != nil {
		t.Fatal(err)
	}
	if other, _ := annotation(true); other == first {
		t.Error("another certificate makes no new pods")
	}
}

// What cannot be read is not made anew, and what is wanting is told before anything is written.
func TestNothingIsWrittenInTheDark(t *testing.T) {
	owned := secret("identity-fernet", nil)
	owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "service.stackwright.dev/v1alpha1", Kind: "Keystone",
		Name: "identity", UID: "1"}}
	down := func(_ context.Context, c client.WithWatch, key client.ObjectKey, into client.Object,
		o ...client.GetOption,
	) error {
		if key.Name == "identity-fernet" {
			return errors.New("the server is away")
		}
		return c.Get(t.Context(), key, into, o...)
	}
	bad := given()
	bad[1] = secret("options", map[string]string{"a.conf": "[token]\nexpire = 600\n"})
	for name, c := range map[string]struct {
		client client.Client
		says   string
	}{
		"unreadable": {cluster(given()...).WithInterceptorFuncs(interceptor.Funcs{Get: down}).Build(), "the server is away"},
		"no account": {cluster(given()[1]).Build(), "Secret identity-db has to exist"},
		"no options": {cluster(given()[0]).Build(), "Secret options has to exist"},
		"wrong":      {cluster(bad...).Build(), "has no option expire"},
	} {
		t.Run(name, func(t *testing.T) {
			did, err := keep(t, c.client, "first")
			if err == nil || !strings.Contains(err.Error(), c.says) || len(did) > 0 {
				t.Errorf("it did %q: %v; want an error with %q", did, err, c.says)
			}
			admin := &corev1.Secret{}
			key := client.ObjectKey{Namespace: "cloud", Name: "identity-admin"}
			if err := c.client.Get(t.Context(), key, admin); err == nil {
				t.Error("it wrote a Secret")
			}
		})
	}
	_, err := keep(t, cluster(append(given(), owned)...).Build(), "first")
	if err == nil || !strings.Contains(err.Error(), "it belongs to Keystone identity, which an operator looks after") {
		t.Errorf("with a Secret of an operator: %v", err)
	}
}
