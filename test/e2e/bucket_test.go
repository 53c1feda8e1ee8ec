//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/test/e2e/story"
)

// The keys by which Glance may use the bucket. Neither may be in the address of an image.
const (
	accessKey = "GLANCE0ACCESS"
	secretKey = "glance/secret$key"
)

// ownCertificate names the Secret with Glance's.
const ownCertificate = "images-certificate"

// trickle makes an image as Nova does of a snapshot, without saying how much it will be, and prints its id. The data
// are those of the file that it is given, twice.
const trickle = `
import openstack, sys
cloud = openstack.connect()
def data():
    for _ in range(2):
        with open(sys.argv[1], "rb") as f:
            while chunk := f.read(1 << 16):
                yield chunk
fields = {"name": "trickled", "disk_format": "raw", "container_format": "bare"}
image = cloud.image.post("/images", json=fields).json()["id"]
answer = cloud.image.put(f"/images/{image}/file", data=data(),
                         headers={"Content-Type": "application/octet-stream"})
print(image) if answer.status_code == 204 else sys.exit(f"{answer.status_code} {answer.text}")
`

// drip uploads the file that it is given to a new image in store near, over half a minute, and prints the image's id.
const drip = `
import openstack, sys, time
cloud = openstack.connect()
def data():
    with open(sys.argv[1], "rb") as f:
        while chunk := f.read(1 << 16):
            yield chunk
            time.sleep(0.25)
fields = {"name": "dripped", "disk_format": "raw", "container_format": "bare"}
image = cloud.image.post("/images", json=fields).json()["id"]
answer = cloud.image.put(f"/images/{image}/file", data=data(),
                         headers={"Content-Type": "application/octet-stream", "X-Image-Meta-Store": "near"})
print(image) if answer.status_code == 204 else sys.exit(f"{answer.status_code} {answer.text}")
`

// Images lie in a bucket of a real S3 server, known by TLS, and in a store of files beside it. What was read once comes
// from the cache when the bucket is away, and a project that has its fill is refused, as is whoever comes to a volume
// that is full. An upload outlasts its pod. What keeps Glance from starting is said by its stores. All the while Glance
// shows a certificate of another authority than all others do, and they know it.
func TestImagesInABucket(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	b := newBucket(w)
	glance := &servicev1.Glance{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-glance"}}
	b.certify(cp.Namespace)
	asked := w.Change(cp)
	asked.Spec.Services.Glance = b.asked()
	w.Apply(asked)
	w.Eventually(story.UpToReady, "the store waits for its Secret", w.Says(glance, "StoresReady", "bucket"))
	b.allow(cp.Namespace)
	w.Ready(story.UpToReady, glance)
	w.Ready(time.Minute, cp)

	w.Cleanup(b.cleanUp)
	kept := b.create(cp.Namespace, "kept")
	if out := w.OpenStack("image", "stores", "list", "-f", "value", "-c", "ID", "-c", "Default"); !strings.Contains(out,
		"far True") || !strings.Contains(out, "near") {
		t.Errorf("the stores are %q", out)
	}
	address := w.OpenStack("image", "show", "-f", "json", kept)
	if !strings.Contains(address, "s3+https://"+b.host+"/images/"+kept) || strings.Contains(address, accessKey) ||
		strings.Contains(address, secretKey) {
		t.Errorf("the image is not where it should be, or its address has keys: %s", address)
	}
	b.copies(kept)
	b.trickles(cp.Namespace)
	b.fills(cp.Namespace)
	b.outlasts(cp.Namespace)
	w.Ready(2*time.Minute, glance)
	b.refuses(cp.Namespace)
	b.caches(glance, kept)
}

// bucket is a bucket, and those who serve it.
type bucket struct {
	*story.World
	host   string
	ca     pki.Pair
	server *corev1.Service
	made   []string
}

// newBucket starts an S3 server in the namespace of the story.
func newBucket(w *story.World) *bucket {
	w.Helper()
	host := "s3." + w.Namespace + ".svc"
	ca, err := pki.NewCA("the bucket's", time.Now())
	if err != nil {
		w.Fatal(err)
	}
	leaf, err := pki.Issue(ca, pki.Request{CommonName: host, Names: []string{host}}, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	labels := map[string]string{"app": "s3"}
	b := &bucket{World: w, host: host, ca: ca}
	w.Apply(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "s3"}, Data: map[string][]byte{
		"tls.crt": leaf.Cert, "tls.key": leaf.Key,
		"ROOT_ACCESS_KEY_ID": []byte(accessKey), "ROOT_SECRET_ACCESS_KEY": []byte(secretKey)}})
	b.server = &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "s3"},
		Spec: corev1.ServiceSpec{Selector: labels}}
	b.server.Spec.Ports = []corev1.ServicePort{{Port: 443, TargetPort: intstr.FromInt32(7070)}}
	w.Apply(b.server.DeepCopy())
	w.Build("test/s3", "github.com/versity/versitygw/cmd/versitygw")
	pod := b.pod(labels)
	w.Apply(pod.DeepCopy())
	w.Eventually(time.Minute, "the pod of the S3 server takes its program", func(ctx context.Context) error {
		_, err := w.Cluster.Kubectl(ctx, "-n", w.Namespace, "cp", "bin/versitygw", "s3:/srv/versitygw")
		if err == nil {
			_, err = w.Cluster.Kubectl(ctx, "-n", w.Namespace, "exec", "s3", "--", "touch", "/srv/go")
		}
		return err
	})
	w.Ready(time.Minute, pod)
	return b
}

// pod runs the S3 server, once it has been copied there, in the client's image.
func (b *bucket) pod(labels map[string]string) *corev1.Pod {
	b.Helper()
	clients := &corev1.PodList{}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: "s3", Labels: labels}}
	if err := b.List(b.Context(), clients, client.InNamespace("openstack")); err != nil {
		b.Fatal(err)
	}
	secret := corev1.SecretVolumeSource{SecretName: "s3"}
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "srv", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &secret}}}
	for _, p := range clients.Items {
		if !strings.HasPrefix(p.Name, "openstack-client-") {
			continue
		}
		pod.Spec.SecurityContext = p.Spec.SecurityContext
		pod.Spec.Containers = []corev1.Container{{Name: "s3", Image: p.Spec.Containers[0].Image,
			SecurityContext: p.Spec.Containers[0].SecurityContext,
			Command: []string{"sh", "-ec", "until [ -e /srv/go ]; do sleep 0.2; done; mkdir /srv/data; " +
				"exec /srv/versitygw --port :7070 --cert /tls/tls.crt --key /tls/tls.key posix /srv/data"},
			Env: []corev1.EnvVar{given("ROOT_ACCESS_KEY_ID"), given("ROOT_SECRET_ACCESS_KEY")},
			ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{
				TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(7070)}}},
			VolumeMounts: []corev1.VolumeMount{{Name: "srv", MountPath: "/srv"}, {Name: "tls", MountPath: "/tls"}}}}
	}
	return pod
}

// given is a variable that a server takes from its Secret.
func given(name string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: "s3"}, Key: name}}}
}

// asked is a Glance with a store in the bucket and one of files. What is sent to the bucket is soon sent in parts, and
// addresses are shown, to see that there are no keys in them.
func (b *bucket) asked() *controlplanev1.GlanceService {
	b.Helper()
	value := func(v any) servicev1.Value {
		out, err := servicev1.ValueOf(v)
		if err != nil {
			b.Fatal(err)
		}
		return out
	}
	g := &controlplanev1.GlanceService{
		Stores: []servicev1.ImageStore{
			{Name: "far", S3: &servicev1.S3Store{Endpoint: "https://" + b.host, Bucket: "images", Secret: "bucket"}},
			{Name: "near", File: &servicev1.FileStore{Size: resource.MustParse("500Mi"),
				ClassName: "devcluster-sized"}}},
		Cache: &servicev1.ImageCache{Size: resource.MustParse("200Mi")}, ProjectQuota: resource.MustParse("64Mi"),
	}
	g.TLSSecret = ownCertificate
	g.Config = map[string]servicev1.Options{"DEFAULT": {"show_image_direct_url": value(true)},
		"far": {"s3_store_create_bucket_on_put": value(true), "s3_store_large_object_size": value(5),
			"s3_store_large_object_chunk_size": value(5)}}
	return g
}

// certify makes a certificate for Glance, by the authority of the bucket.
func (b *bucket) certify(namespace string) {
	b.Helper()
	var names []string
	for _, which := range []string{"public", "internal"} {
		names = append(names, pki.ServiceNames("openstack-glance-"+which, namespace)...)
	}
	leaf, err := pki.Issue(b.ca, pki.Request{CommonName: "images", Names: names}, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	b.secret(namespace, ownCertificate, map[string][]byte{"tls.crt": leaf.Cert, "tls.key": leaf.Key, "ca.crt": b.ca.Cert})
}

// allow gives Glance what it needs to use the bucket.
func (b *bucket) allow(namespace string) {
	b.Helper()
	b.secret(namespace, "bucket", map[string][]byte{
		"AWS_ACCESS_KEY_ID": []byte(accessKey), "AWS_SECRET_ACCESS_KEY": []byte(secretKey), "ca.crt": b.ca.Cert})
}

// secret is one of the cloud's namespace for as long as the story takes.
func (b *bucket) secret(namespace, name string, data map[string][]byte) {
	b.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}
	b.Apply(secret.DeepCopy())
	b.Cleanup(func() {
		if err := b.Delete(context.WithoutCancel(b.Context()), secret); err != nil {
			b.Error(err)
		}
	})
}

// create makes an image of a file by an upload, and compares what comes back.
func (b *bucket) create(namespace, name string) string {
	b.Helper()
	id := b.OpenStack("image", "create", "--disk-format", "raw", "--container-format", "bare", "--file", some, "-f",
		"value", "-c", "id", name)
	b.made = append(b.made, id)
	if err := equal(b.Context(), b.World, namespace, id); err != nil {
		b.Errorf("image %s: %v", name, err)
	}
	return id
}

// copies has an image in a second store.
func (b *bucket) copies(id string) {
	b.Helper()
	b.OpenStack("image", "import", id, "--method", "copy-image", "--store", "near")
	b.Eventually(time.Minute, "the image is in both stores", func(ctx context.Context) error {
		out, err := b.Cluster.Stackwright(ctx, "openstack", "image", "show", "-f", "json", id)
		if err == nil && !strings.Contains(out, "far,near") {
			err = fmt.Errorf("it is %s", out)
		}
		return err
	})
}

// trickles uploads data of a length that nobody says, more than goes in one part.
func (b *bucket) trickles(namespace string) {
	b.Helper()
	id, err := inClient(b.Context(), b.World, namespace, "python3", "-c", trickle, some)
	if err != nil {
		b.Fatal(err)
	}
	id = strings.TrimSpace(id)
	b.made = append(b.made, id)
	if _, err := b.Cluster.Stackwright(b.Context(), "openstack", "image", "save", "--file", "/tmp/twice", id); err != nil {
		b.Fatal(err)
	}
	compare := "cat " + some + " " + some + " | cmp - /tmp/twice"
	if _, err := inClient(b.Context(), b.World, namespace, "sh", "-ec", compare); err != nil {
		b.Errorf("what trickled in comes out otherwise: %v", err)
	}
}

// fills has no room on the volume of the store near, of which an upload is told, and room again.
func (b *bucket) fills(namespace string) {
	b.Helper()
	const full = "/var/lib/glance/stores/near/full"
	inAPI := func(command string) {
		b.Helper()
		if _, err := b.Cluster.Kubectl(b.Context(), "-n", namespace, "exec", "deployment/openstack-glance-api", "--", "sh",
			"-c", command); err != nil {
			b.Fatal(err)
		}
	}
	upload := func() (string, error) {
		id, err := inClient(b.Context(), b.World, namespace, "python3", "-c", fill, "/usr/bin/env", "near", "told")
		return strings.TrimSpace(id), err
	}
	inAPI("head -c 600M /dev/zero > " + full + " || true")
	if id, err := upload(); err == nil || !strings.Contains(err.Error(), "413") ||
		!strings.Contains(err.Error(), "Image storage media is full") {
		b.Errorf("to a volume that is full image %q is uploaded: %v", id, err)
	}
	inAPI("rm " + full)
	id, err := upload()
	if err != nil {
		b.Fatal(err)
	}
	b.made = append(b.made, id)
}

// outlasts tells the pod of the API to go in the middle of an upload, which it takes to its end.
func (b *bucket) outlasts(namespace string) {
	b.Helper()
	type upload struct {
		id  string
		err error
	}
	ended := make(chan upload, 1)
	go func() {
		id, err := inClient(b.Context(), b.World, namespace, "python3", "-c", drip, some)
		ended <- upload{strings.TrimSpace(id), err}
	}()
	b.Eventually(time.Minute, "the upload has begun", b.Prints("saving", "image", "list", "--name", "dripped", "-f",
		"value", "-c", "Status"))
	if _, err := b.Cluster.Kubectl(b.Context(), "-n", namespace, "delete", "pod", "--wait=false", "-l",
		"app.kubernetes.io/instance=openstack-glance,app.kubernetes.io/component=api"); err != nil {
		b.Fatal(err)
	}
	got := <-ended
	if got.err != nil {
		b.Fatalf("an upload broke off with its pod: %v", got.err)
	}
	b.made = append(b.made, got.id)
	if err := equal(b.Context(), b.World, namespace, got.id); err != nil {
		b.Errorf("what was uploaded comes out otherwise: %v", err)
	}
}

// refuses sends more than the project may have. Glance answers before it has all of it and closes the connection, so
// that a client may learn of the end and not of the answer; then it tries again, as a person would.
func (b *bucket) refuses(namespace string) {
	b.Helper()
	if _, err := inClient(b.Context(), b.World, namespace, "truncate", "--size", "100M", "/tmp/much"); err != nil {
		b.Fatal(err)
	}
	b.Eventually(2*time.Minute, "an image of 100 MB is refused, 64 MiB are the most", func(ctx context.Context) error {
		out, err := b.Cluster.Stackwright(ctx, "openstack", "image", "create", "--disk-format", "raw",
			"--container-format", "bare", "--file", "/tmp/much", "much")
		if err == nil {
			b.Fatalf("it was taken: %s", out)
		}
		if !strings.Contains(err.Error(), "413") {
			return err
		}
		return nil
	})
}

// caches reads an image while the bucket is away, which another one that was not read before cannot be. Glance's object
// tells of it.
func (b *bucket) caches(glance *servicev1.Glance, id string) {
	b.Helper()
	unread := b.OpenStack("image", "create", "--disk-format", "raw", "--container-format", "bare", "--file",
		"/usr/bin/env", "-f", "value", "-c", "id", "unread")
	b.made = append(b.made, unread)
	b.away(true)
	if err := equal(b.Context(), b.World, glance.Namespace, id); err != nil {
		b.Errorf("the cache has not the image: %v", err)
	}
	save := []string{"openstack", "image", "save", "--file", "/tmp/unread", unread}
	if out, err := b.Cluster.Stackwright(b.Context(), save...); err == nil {
		b.Errorf("the bucket is still there: %s", out)
	}
	b.Eventually(2*time.Minute, "the bucket is missed", b.Says(glance, "StoreHealthReady", "store far does not answer"))
	b.away(false)
	b.Eventually(time.Minute, "the bucket is back", func(ctx context.Context) error {
		_, err := b.Cluster.Stackwright(ctx, save...)
		return err
	})
	b.Logf("the bucket is seen again after %s", b.Ready(2*time.Minute, glance))
	if out := b.OpenStack("cached", "image", "list", "-f", "value"); !strings.Contains(out, id) {
		b.Errorf("the cache is said to have %q", out)
	}
}

// away takes the S3 server from its address, or brings it back.
func (b *bucket) away(gone bool) {
	b.Helper()
	s := b.server.DeepCopy()
	if gone {
		s.Spec.Selector = map[string]string{"app": "away"}
	}
	b.Apply(s)
}

// cleanUp removes the images: what is known about them stays with the database.
func (b *bucket) cleanUp() {
	ids := b.made
	for _, name := range []string{"much", "near"} {
		if out, err := b.Cluster.Stackwright(context.WithoutCancel(b.Context()), "openstack", "image", "list", "-f", "value",
			"-c", "ID", "--name", name); err == nil {
			ids = append(ids, strings.Fields(out)...)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return
	}
	args := append([]string{"openstack", "image", "delete"}, ids...)
	if _, err := b.Cluster.Stackwright(context.WithoutCancel(b.Context()), args...); err != nil {
		b.Errorf("removing the images: %v", err)
	}
}
