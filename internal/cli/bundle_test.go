package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/censor"
)

const (
	leaked  = "correct horse battery"
	pemLine = "MC4CAQAwBQYDK2VwBCIEIHkLmSPVHMrbVpCmCVEPlZvqoMn7lY1ZfzhzXm5kq8fC"
)

// unpacked are the files of an archive.
func unpacked(t *testing.T, file string) map[string]string {
	t.Helper()
	packed, err := os.ReadFile(file)
	must(t, err)
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	must(t, err)
	files := map[string]string{}
	for archive := tar.NewReader(zip); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must(t, err)
		content, err := io.ReadAll(archive)
		must(t, err)
		files[strings.TrimPrefix(head.Name, "bundle/")] = string(content)
	}
}

// careless makes a Secret, and an object that shows what is in it in several ways.
func (w *world) careless() {
	w.t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "openstack", Name: "db"}, Data: map[string][]byte{
		"password": []byte(leaked + "\n"), "username": []byte("keystone"),
		"tls.key": []byte("-----BEGIN PRIVATE KEY-----\n" + pemLine + "\n-----END PRIVATE KEY-----\n")}}
	s.Annotations = map[string]string{corev1.LastAppliedConfigAnnotation: `{"stringData":{"other":"seldom seen"}}`}
	must(w.t, w.client.Create(w.t.Context(), s))
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "openstack", Name: "notes"}, Data: map[string]string{
		"plain": "the password of keystone is " + leaked, "key": "a: |\n  " + pemLine,
		"encoded": base64.StdEncoding.EncodeToString([]byte(leaked))}}
	must(w.t, w.client.Create(w.t.Context(), m))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "openstack", Name: "keystone-1"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "api", Image: "a"}}}}
	must(w.t, w.client.Create(w.t.Context(), pod))
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "api", RestartCount: 1}}
	must(w.t, w.client.Status().Update(w.t.Context(), pod))
	w.server.SetLog(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, "log in with "+leaked)
}

func TestBundle(t *testing.T) {
	w := newWorld(t, "testdata/plane.yaml")
	w.careless()
	file := filepath.Join(t.TempDir(), "bundle.tar.gz")
	got := w.run("bundle", file)
	if got.code != exitDone {
		t.Fatalf("exit code %d: %s", got.code, got.err)
	}
	files := unpacked(t, file)
	for name, want := range map[string]string{
		"logs/openstack/keystone-1/api.log":          "log in with (taken out: key password of Secret openstack/db)",
		"logs/openstack/keystone-1/api.previous.log": "log in",
		"about.txt":  "namespaces openstack, stackwright-system",
		"status.txt": "openstack/cloud",
		"why.txt":    "First cause",
		"tree.txt":   "OpenStackControlPlane",
		"objects/openstackcontrolplanes.controlplane.stackwright.dev.yaml": "kind: OpenStackControlPlane",
		"objects/secrets/openstack.yaml":                                   "password: (not shown)",
		"objects/configmaps/openstack.yaml":                                "is (taken out: key password of Secret",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s does not say %q but\n%s", name, want, files[name])
		}
	}
	for name, content := range files {
		for _, secret := range []string{leaked, pemLine, base64.StdEncoding.EncodeToString([]byte(leaked)), "seldom seen"} {
			if strings.Contains(content, secret) {
				t.Errorf("%s shows %q", name, secret)
			}
		}
	}
	for _, key := range []string{"password", "tls.key"} {
		if want := "taken out: key " + key + " of Secret openstack/db in objects/configmaps/openstack.yaml"; !strings.
			Contains(got.err, want) {
			t.Errorf("it does not say %q but %q", want, got.err)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

// Operators log in our namespaces of what they do in all others with objects of ours, and for those that belong to
// none. Events are beside the objects.
func TestBundleHidesSecretsOfAllNamespaces(t *testing.T) {
	w := newWorld(t, "testdata/plane.yaml")
	w.careless()
	for namespace, password := range map[string]string{"shop": "k9#p!-shop", "central": "k9#p!-central"} {
		must(t, w.client.Create(t.Context(), &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cloud"},
			Data:       map[string][]byte{"clouds.yaml": []byte("clouds: {c: {auth: {password: '" + password + "'}}}")}}))
	}
	project := &openstackv1.Project{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "shop"},
		Spec: openstackv1.ProjectSpec{Resource: &openstackv1.ProjectResource{}}}
	must(t, w.client.Create(t.Context(), project))
	central := &openstackv1.ClusterCloud{ObjectMeta: metav1.ObjectMeta{Name: "central"}}
	central.Spec.SecretRef = openstackv1.CloudSecret{Name: "cloud", Namespace: "central"}
	must(t, w.client.Create(t.Context(), central))
	w.server.SetLog(types.NamespacedName{Namespace: "openstack", Name: "keystone-1"}, "k9#p!-shop and k9#p!-central")
	must(t, w.client.Create(t.Context(), &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "shop.1"},
		InvolvedObject: corev1.ObjectReference{Kind: "Project", Namespace: "shop", Name: "shop"}, Type: "Warning",
		Reason: "Denied", Message: "Keystone refused k9#p!-shop (request req-5f0c)", Count: 3,
		LastTimestamp: metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}))
	file := filepath.Join(t.TempDir(), "bundle.tar.gz")
	w.run("bundle", file).want(t, exitDone)
	const event = "2026-01-02T03:04:05Z Warning Denied Project/shop (3 times): Keystone refused (taken out: option " +
		"password in key clouds.yaml of Secret shop/cloud) (request req-5f0c)\n"
	if got := unpacked(t, file)["events/shop.txt"]; got != event {
		t.Errorf("the events are %q, want %q", got, event)
	}
	const want = "(taken out: option password in key clouds.yaml of Secret shop/cloud) and " +
		"(taken out: option password in key clouds.yaml of Secret central/cloud)"
	if got := unpacked(t, file)["logs/openstack/keystone-1/api.log"]; !strings.Contains(got, want) {
		t.Errorf("the log says %q, want %q", got, want)
	}
}

// Nothing that we make shows a Secret that we make, nor is anything of it taken for one.
func TestBundleTakesNothingOutOfOurObjects(t *testing.T) {
	home(t, t.TempDir())
	docs, err := (&app{in: strings.NewReader(`{kind: OpenStackControlPlane,
		apiVersion: controlplane.stackwright.dev/v1alpha1, metadata: {name: cloud, namespace: openstack},
		spec: {release: epoxy, size: dev, services: {glance: {}, neutron: {},
		nova: {}, barbican: {}, heat: {}, horizon: {}}}}`)}).readDocuments("-")
	must(t, err)
	result, err := (&app{}).rehearse(t.Context(), "-", docs, nil)
	must(t, err)
	var secrets []client.Object
	var rest []byte
	for _, m := range result.Made {
		if _, ok := m.Object.(*corev1.Secret); ok {
			secrets = append(secrets, m.Object)
			continue
		}
		text, err := plain(m.Object)
		must(t, err)
		rest = append(rest, text...)
	}
	if len(secrets) < 20 || len(rest) < 100_000 {
		t.Fatalf("%d Secrets and %d bytes are made", len(secrets), len(rest))
	}
	c, err := censor.New(t.Context(), fake.NewClientBuilder().WithObjects(secrets...).Build(), []string{"openstack"})
	must(t, err)
	c.Clean("objects", rest)
	if told := c.Told(); len(told) > 0 {
		t.Errorf("it takes out\n%s", strings.Join(told, "\n"))
	}
	if len(c.Passed) > 0 {
		t.Errorf("it does not look for %q", c.Passed)
	}
}

// Who may not read Secrets cannot tell what has to be left out.
func TestBundleWithoutRights(t *testing.T) {
	w := newWorld(t, "testdata/plane.yaml")
	w.careless()
	w.forbids = func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/secrets") }
	file := filepath.Join(t.TempDir(), "bundle.tar.gz")
	got := w.run("bundle", file)
	if _, err := os.Stat(file); got.code != exitFailed || !os.IsNotExist(err) ||
		!strings.Contains(got.err, "ask as somebody who may list them") {
		t.Errorf("exit code %d, %v: %s", got.code, err, got.err)
	}
	// What else cannot be read is named.
	w.forbids = func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/configmaps") }
	got = w.run("bundle", file)
	lacks := strings.Split(unpacked(t, file)["missing.txt"], "\n")
	if got.code != exitDone || !slices.ContainsFunc(lacks, func(line string) bool {
		return strings.HasPrefix(line, "objects/configmaps/openstack: ")
	}) {
		t.Errorf("exit code %d, missing is %q", got.code, lacks)
	}
}
