//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/test/e2e/story"
)

// swiftKey is the password by which Glance uses a Swift. It has what configuration files make something of, and may not
// be in the address of an image.
const swiftKey = `hush%s$"hush`

// fill makes an image in a store of the file that it is given, twice, with or without saying how much it will be, and
// prints its id.
const fill = `
import openstack, os, sys
cloud = openstack.connect()
path, store, told = sys.argv[1:]
def data():
    for _ in range(2):
        with open(path, "rb") as f:
            while chunk := f.read(1 << 16):
                yield chunk
headers = {"Content-Type": "application/octet-stream", "X-Image-Meta-Store": store}
fields = {"name": store, "disk_format": "raw", "container_format": "bare"}
image = cloud.image.post("/images", json=fields).json()["id"]
sent = b"".join(data()) if told == "told" else data()
answer = cloud.image.put(f"/images/{image}/file", data=sent, headers=headers)
print(image) if answer.status_code == 204 else sys.exit(f"{answer.status_code} {answer.text}")
`

// imports stages the file that it is given for images of a store, imports each by a connection of its own, and compares
// what comes back. Nothing of them stays.
const imports = `
import openstack, sys, time
cloud = openstack.connect()
with open(sys.argv[1], "rb") as f:
    data = f.read()
fields = {"name": "staged", "disk_format": "raw", "container_format": "bare"}
def ask(want, what, *args, **kwargs):
    answer = what(*args, **kwargs)
    if answer.status_code != want:
        sys.exit(f"{answer.status_code} {answer.text}")
    return answer
for _ in range(12):
    image = "/images/" + ask(201, cloud.image.post, "/images", json=fields).json()["id"]
    try:
        binary = {"Content-Type": "application/octet-stream"}
        ask(204, cloud.image.put, image + "/stage", data=data, headers=binary)
        ask(202, cloud.image.post, image + "/import", json={"method": {"name": "glance-direct"}})
        end = time.time() + 60
        while (status := cloud.image.get(image).json()["status"]) != "active":
            if time.time() > end:
                sys.exit(f"what was staged is {status}")
            time.sleep(0.5)
        if ask(200, cloud.image.get, image + "/file").content != data:
            sys.exit("what was staged comes out otherwise")
    finally:
        cloud.image.delete(image)
`

// listing prints the names of the objects of a store, which is asked for them as Glance's user and not by Glance.
const listing = `
import os, requests, sys
key, swift, keystone = os.environ["SWIFT_KEY"], "https://127.0.0.1:8080", os.environ["KEYSTONE_URL"]
def plain():
    headers = {"X-Auth-User": "images:images", "X-Auth-Key": key}
    answer = requests.get(swift + "/auth/v1.0", headers=headers, verify=False)
    answer.raise_for_status()
    return answer.headers["X-Auth-Token"], "TEMP_images"
def known():
    domain = {"id": "default"}
    who = {"methods": ["password"], "password": {"user": {"name": "images", "domain": domain, "password": key}}}
    ask = {"auth": {"identity": who, "scope": {"project": {"name": "images", "domain": domain}}}}
    answer = requests.post(keystone + "/auth/tokens", json=ask, verify="/tls/keystone.crt")
    answer.raise_for_status()
    return answer.headers["X-Subject-Token"], "AUTH_" + answer.json()["token"]["project"]["id"]
token, account = {"plain": plain, "known": known}[sys.argv[1]]()
answer = requests.get(f"{swift}/v1/{account}/images", headers={"X-Auth-Token": token}, verify=False)
answer.raise_for_status()
print(answer.text)
`

// Images lie in a real Swift, known by TLS: in the account of a user whom the cloud's Keystone knows, and of one whom
// Swift itself does. Swift takes no object as large as they are, so they are in segments. Their addresses have no
// password, they come back as they were, and nothing stays of those that are deleted. What one pod has staged any pod
// imports. What keeps Glance from starting is said by its stores, and that Swift is away.
func TestImagesInSwift(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	s := newSwift(w, cp)
	glance := &servicev1.Glance{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-glance"}}
	asked := w.Change(cp)
	asked.Spec.Services.Glance = s.asked()
	w.Apply(asked)
	w.Eventually(story.UpToReady, "the stores wait for their Secret", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(glance), glance); err != nil {
			return err
		}
		for _, c := range glance.Status.Conditions {
			if c.Type == "StoresReady" && c.Status == "False" && strings.Contains(c.Message, "swift") {
				return nil
			}
		}
		return fmt.Errorf("its conditions are %v", glance.Status.Conditions)
	})
	s.register()
	s.allow()
	w.Ready(story.UpToReady, glance)
	w.Ready(time.Minute, cp)

	w.Cleanup(s.removeImages)
	for _, store := range []string{"known", "plain"} {
		for _, size := range []string{"told", "not told"} {
			s.keeps(store, s.create(store, size))
		}
	}
	s.imports()
	s.misses(glance)
	s.removeImages()
	for _, store := range []string{"known", "plain"} {
		w.Eventually(time.Minute, "nothing is left in Swift", func(ctx context.Context) error {
			out, err := s.list(ctx, store)
			if err == nil && len(out) > 0 {
				err = fmt.Errorf("store %s has %q", store, out)
			}
			return err
		})
	}
}

// swift is a Swift, and those who serve it.
type swift struct {
	*story.World
	cp       *controlplanev1.OpenStackControlPlane
	keystone *servicev1.Keystone
	// authorities are those of Swift and of Keystone.
	authorities []byte
	host        string
	server      *corev1.Service
	made        []string
}

// newSwift starts a Swift in the namespace of the story.
func newSwift(w *story.World, cp *controlplanev1.OpenStackControlPlane) *swift {
	w.Helper()
	s := &swift{World: w, cp: cp, host: "swift." + w.Namespace + ".svc", keystone: &servicev1.Keystone{}}
	clouds := &corev1.Secret{}
	for key, into := range map[string]client.Object{"openstack-keystone": s.keystone, cp.Status.Clouds: clouds} {
		if err := w.Get(w.Context(), client.ObjectKey{Namespace: cp.Namespace, Name: key}, into); err != nil {
			w.Fatalf("reading %s: %v", key, err)
		}
	}
	ca, err := pki.NewCA("the Swift's", time.Now())
	if err != nil {
		w.Fatal(err)
	}
	leaf, err := pki.Issue(ca, pki.Request{CommonName: s.host, Names: []string{s.host}}, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	s.authorities = slices.Concat(ca.Cert, []byte("\n"), clouds.Data["ca.crt"])
	w.Apply(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "swift"}, Data: map[string][]byte{
		"tls.crt": leaf.Cert, "tls.key": leaf.Key, "keystone.crt": clouds.Data["ca.crt"]}})
	s.server = &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "swift"},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "swift"}}}
	s.server.Spec.Ports = []corev1.ServicePort{{Port: 443, TargetPort: intstr.FromInt32(8080)}}
	w.Apply(s.server.DeepCopy())
	pod := s.pod()
	w.Apply(pod.DeepCopy())
	w.Ready(2*time.Minute, pod)
	return s
}

// image builds the image, which no cloud takes, and brings it into the cluster. It returns its reference and its user.
func (s *swift) image() (string, int64) {
	s.Helper()
	var built struct {
		Images map[string]struct {
			Ref string
			UID int64
		}
	}
	for _, args := range [][]string{{"build"}, {"load", "--cluster", s.Cluster.Name}, {"list", "-o", "json"}} {
		args = append([]string{"images"}, append(args, "--data", "test/swift", "--release", "trixie")...)
		out, err := s.Cluster.Run(s.Context(), "stackwright", args...)
		if err != nil {
			s.Fatal(err)
		}
		if args[1] != "list" {
			continue
		}
		if err := json.Unmarshal([]byte(out), &built); err != nil {
			s.Fatalf("reading which images there are: %v", err)
		}
	}
	return built.Images["swift"].Ref, built.Images["swift"].UID
}

// pod runs all servers of the Swift.
func (s *swift) pod() *corev1.Pod {
	s.Helper()
	ref, uid := s.image()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "swift",
		Labels: s.server.Spec.Selector}}
	pod.Spec.TerminationGracePeriodSeconds = new(int64(0))
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(uid),
		RunAsGroup: new(uid), FSGroup: new(uid),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	empty := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "srv", VolumeSource: empty}, {Name: "etc", VolumeSource: empty},
		{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "swift"}}}}
	pod.Spec.Containers = []corev1.Container{{Name: "swift", Image: ref, Command: []string{"start-swift"},
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		Env: []corev1.EnvVar{{Name: "SWIFT_KEY", Value: swiftKey}, {Name: "SWIFT_URL", Value: "https://" + s.host},
			{Name: "KEYSTONE_URL", Value: s.keystone.Status.Endpoints.Internal}},
		ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 5, ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Scheme: corev1.URISchemeHTTPS, Path: "/healthcheck",
				Port: intstr.FromInt32(8080)}}},
		VolumeMounts: []corev1.VolumeMount{{Name: "srv", MountPath: "/srv"}, {Name: "etc", MountPath: "/etc/swift"},
			{Name: "tls", MountPath: "/tls"}}}}
	return pod
}

// asked is a Glance of two pods with a store in each account. Addresses are shown, to see that there is no password in
// them.
func (s *swift) asked() *controlplanev1.GlanceService {
	s.Helper()
	value := func(v any) servicev1.Value {
		out, err := servicev1.ValueOf(v)
		if err != nil {
			s.Fatal(err)
		}
		return out
	}
	g := &controlplanev1.GlanceService{Stores: []servicev1.ImageStore{
		{Name: "known", Swift: &servicev1.SwiftStore{AuthURL: s.keystone.Status.Endpoints.Internal, Container: "images",
			Secret: "swift", Region: "RegionOne", Interface: "internal", UserDomain: "Default", ProjectDomain: "Default"}},
		{Name: "plain", Swift: &servicev1.SwiftStore{AuthURL: "https://" + s.host + "/auth/v1.0", AuthVersion: 1,
			Container: "images", Secret: "swift"}}}}
	in := servicev1.Options{"swift_store_create_container_on_put": value(true), "swift_store_large_object_size": value(5),
		"swift_store_large_object_chunk_size": value(5)}
	g.Config = map[string]servicev1.Options{"DEFAULT": {"show_image_direct_url": value(true)}, "known": in, "plain": in}
	g.Replicas = new(int32(2))
	return g
}

// register makes the user, and Swift's entry in the catalog.
func (s *swift) register() {
	s.Helper()
	s.Cleanup(func() {
		for _, thing := range [][]string{{"service", "images-swift"}, {"user", "images"}, {"project", "images"}} {
			args := []string{"openstack", thing[0], "delete", thing[1]}
			if _, err := s.Cluster.Stackwright(context.WithoutCancel(s.Context()), args...); err != nil {
				s.Error(err)
			}
		}
	})
	s.OpenStack("project", "create", "images")
	s.OpenStack("user", "create", "--password", swiftKey, "images")
	s.OpenStack("role", "add", "--project", "images", "--user", "images", "admin")
	s.OpenStack("service", "create", "--name", "images-swift", "object-store")
	for _, which := range []string{"public", "internal"} {
		s.OpenStack("endpoint", "create", "--region", "RegionOne", "images-swift", which,
			"https://"+s.host+"/v1/AUTH_%(project_id)s")
	}
}

// allow gives Glance what it needs to use both accounts.
func (s *swift) allow() {
	s.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.cp.Namespace, Name: "swift"},
		Data: map[string][]byte{"user": []byte("images:images"), "key": []byte(swiftKey), "ca.crt": s.authorities}}
	s.Apply(secret.DeepCopy())
	s.Cleanup(func() {
		if err := s.Delete(context.WithoutCancel(s.Context()), secret); err != nil {
			s.Error(err)
		}
	})
}

// create makes an image in a store.
func (s *swift) create(store, size string) string {
	s.Helper()
	id, err := inClient(s.Context(), s.World, s.cp.Namespace, "python3", "-c", fill, some, store, size)
	if err != nil {
		s.Fatalf("an image in store %s, its size %s: %v", store, size, err)
	}
	id = strings.TrimSpace(id)
	s.made = append(s.made, id)
	return id
}

// keeps looks where an image is, and compares what comes back.
func (s *swift) keeps(store, id string) {
	s.Helper()
	address := s.OpenStack("image", "show", "-f", "json", id)
	if !strings.Contains(address, "swift+config://"+store+"/images/"+id) || strings.Contains(address, "hush") {
		s.Errorf("the image is not where it should be, or its address has the password: %s", address)
	}
	out, err := s.list(s.Context(), store)
	if err != nil {
		s.Fatal(err)
	}
	if !slices.Contains(out, id) || !slices.Contains(out, id+"-00001") || !slices.Contains(out, id+"-00002") {
		s.Errorf("store %s has not image %s in segments but %q", store, id, out)
	}
	if _, err := s.Cluster.Stackwright(s.Context(), "openstack", "image", "save", "--file", "/tmp/twice", id); err != nil {
		s.Fatal(err)
	}
	compare := "cat " + some + " " + some + " | cmp - /tmp/twice"
	if _, err := inClient(s.Context(), s.World, s.cp.Namespace, "sh", "-ec", compare); err != nil {
		s.Errorf("image %s of store %s comes out otherwise: %v", id, store, err)
	}
}

// list returns the names of the objects that the container of a store has.
func (s *swift) list(ctx context.Context, store string) ([]string, error) {
	out, err := s.Cluster.Kubectl(ctx, "-n", s.Namespace, "exec", "swift", "--", "python3", "-c", listing, store)
	return strings.Fields(out), err
}

// imports has what one pod has staged imported by another, which asks the first.
func (s *swift) imports() {
	s.Helper()
	if _, err := inClient(s.Context(), s.World, s.cp.Namespace, "python3", "-c", imports, "/usr/bin/env"); err != nil {
		s.Fatal(err)
	}
	out, err := s.Cluster.Stackwright(s.Context(), "logs", "glance")
	if err != nil {
		s.Fatal(err)
	}
	if !strings.Contains(out, "Proxying POST request to host https://") {
		s.Error("of twelve images that were staged none was imported by way of another pod")
	}
}

// misses reads an image while Swift is away. The log of Glance says why there is none, without the password, and its
// object that it is so.
func (s *swift) misses(glance *servicev1.Glance) {
	s.Helper()
	gone := s.server.DeepCopy()
	gone.Spec.Selector = map[string]string{"app": "away"}
	s.Apply(gone)
	save := []string{"openstack", "image", "save", "--file", "/tmp/away", s.made[0]}
	if out, err := s.Cluster.Stackwright(s.Context(), save...); err == nil {
		s.Errorf("Swift is still there: %s", out)
	}
	out, err := s.Cluster.Stackwright(s.Context(), "logs", "glance")
	if err != nil {
		s.Fatal(err)
	}
	if !strings.Contains(out, s.host) || strings.Contains(out, "hush") {
		s.Errorf("the log of Glance does not say that %s is away, or it has the password:\n%s", s.host, out)
	}
	s.Eventually(2*time.Minute, "Swift is missed", s.Says(glance, "StoreHealthReady", "store known does not answer"))
	s.Apply(s.server.DeepCopy())
	s.Eventually(2*time.Minute, "Swift is back", func(ctx context.Context) error {
		_, err := s.Cluster.Stackwright(ctx, save...)
		return err
	})
	s.Logf("Swift is seen again after %s", s.Ready(2*time.Minute, glance))
}

// removeImages removes those that are left: what is known about them stays with the database.
func (s *swift) removeImages() {
	if len(s.made) == 0 {
		return
	}
	args := append([]string{"openstack", "image", "delete"}, s.made...)
	if _, err := s.Cluster.Stackwright(context.WithoutCancel(s.Context()), args...); err != nil {
		s.Errorf("removing the images: %v", err)
	}
	s.made = nil
}
