//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// some is a file of the client's image, of some megabytes, that stands for the disk of a server.
const some = "/usr/bin/python3.13"

// breakOff uploads half of something to the image that it is given, again and again, and waits until the image is free
// for another upload. Its end of the connection is closed without a word, as by a client that is killed.
const breakOff = `
import http.client, openstack, socket, ssl, sys, time, urllib.parse
cloud = openstack.connect()
image = "/images/" + sys.argv[1]
address = urllib.parse.urlsplit(cloud.image.get_endpoint()).netloc
trusted = ssl.create_default_context(cafile=cloud.config.get_requests_verify_args()[0])
for n in range(20):
    glance = http.client.HTTPSConnection(address, context=trusted)
    glance.putrequest("PUT", "/v2" + image + "/file")
    for header in {"X-Auth-Token": cloud.auth_token, "Content-Type": "application/octet-stream",
                   "Transfer-Encoding": "chunked"}.items():
        glance.putheader(*header)
    glance.endheaders()
    glance.send(b"a\r\nhalf of it\r\n")
    glance.sock.shutdown(socket.SHUT_WR)
    while glance.sock.recv(4096):
        pass
    end = time.time() + 10
    while (status := cloud.image.get(image).json()["status"]) != "queued":
        if time.time() > end:
            sys.exit(f"after upload {n} broke off the image is {status}")
        time.sleep(0.1)
`

// Glance is asked for by one word. Images that were declared get their data in the three ways that there are: the
// client stages it, Glance fetches it, the operator uploads it. They give the same data back, also after Glance's pod
// was killed, and after Glance was away.
func TestGlanceServes(t *testing.T) {
	story.InCI(t)
	w := story.Start(t)
	cp := w.Cloud()
	glance := &servicev1.Glance{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-glance"}}
	asked := w.Change(cp)
	asked.Spec.Services.Glance = &controlplanev1.GlanceService{}
	enable := func() {
		t.Helper()
		w.Apply(asked.DeepCopy())
		w.Ready(story.UpToReady, glance)
		w.Ready(time.Minute, cp)
	}
	enable()
	host := "files." + w.Namespace + ".svc"
	offerCloud(w, host)
	url := serve(w, cp.Namespace, host) + some
	sum, err := inClient(t.Context(), w, cp.Namespace, "sha256sum", some)
	if err != nil {
		t.Fatal(err)
	}
	fetched := declare(w, "fetched", &openstackv1.ImageContentDownload{URL: url})
	uploaded := declare(w, "uploaded", &openstackv1.ImageContentDownload{URL: url,
		Hash: &openstackv1.ImageContentDownloadHash{Algorithm: "sha256", Value: strings.Fields(sum)[0]}})
	staged := stage(w, cp.Namespace, declare(w, "staged", nil))
	all := []*openstackv1.Image{staged, fetched, uploaded}
	for _, image := range all {
		w.Ready(2*time.Minute, image)
		if err := equal(t.Context(), w, cp.Namespace, image.Status.ID); err != nil {
			t.Errorf("image %s: %v", image.Name, err)
		}
	}
	same := func(ctx context.Context) error { return equal(ctx, w, cp.Namespace, staged.Status.ID) }

	if n := w.KillAll(2*time.Minute, cp.Namespace, "openstack-glance-api"); n != 1 {
		t.Errorf("there were %d pods of the API", n)
	}
	w.Eventually(time.Minute, "a new pod has the data", same)

	w.Apply(w.Change(cp))
	w.Gone(time.Minute, glance)
	if out := w.OpenStack("catalog", "list"); strings.Contains(out, "glance") {
		t.Errorf("without Glance the catalog is %s", out)
	}
	enable()
	w.Eventually(time.Minute, "it is taken up again with its data", same)
	for _, image := range all {
		if err := w.Delete(t.Context(), image); err != nil {
			t.Fatal(err)
		}
	}
	for _, image := range all {
		w.Gone(time.Minute, image)
	}
	if out := w.OpenStack("image", "list", "-f", "value"); out != "" {
		t.Errorf("deleted images are listed: %s", out)
	}
}

// declare makes an Image with data from somewhere, or without any.
func declare(w *story.World, name string, from *openstackv1.ImageContentDownload) *openstackv1.Image {
	w.Helper()
	image := &openstackv1.Image{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
	image.Spec.Resource = &openstackv1.ImageResource{
		Content: &openstackv1.ImageContent{DiskFormat: "raw", Download: from}}
	w.Apply(image.DeepCopy())
	return image
}

// stage brings data to an image without any as a person does, once Glance knows it. An upload that broke off before is
// not taken for a short image.
func stage(w *story.World, namespace string, image *openstackv1.Image) *openstackv1.Image {
	w.Helper()
	w.Eventually(time.Minute, "Glance knows the image", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(image), image); err != nil || image.Status.ID != "" {
			return err
		}
		return fmt.Errorf("it has no id: %v", image.Status.Conditions)
	})
	if _, err := inClient(w.Context(), w, namespace, "python3", "-c", breakOff, image.Status.ID); err != nil {
		w.Fatal(err)
	}
	w.OpenStack("image", "stage", "--file", some, image.Status.ID)
	w.OpenStack("image", "import", "--method", "glance-direct", image.Status.ID)
	return image
}

// equal downloads an image in the client's pod and compares it with the file that it was made of.
func equal(ctx context.Context, w *story.World, namespace, id string) error {
	_, err := w.Cluster.Stackwright(ctx, "openstack", "image", "save", "--file", "/tmp/back", id)
	if err == nil {
		_, err = inClient(ctx, w, namespace, "cmp", some, "/tmp/back")
	}
	return err
}

// inClient runs a command in the client's pod.
func inClient(ctx context.Context, w *story.World, namespace string, command ...string) (string, error) {
	return w.Cluster.Kubectl(ctx, append([]string{"-n", namespace, "exec", "deployment/openstack-client", "--"},
		command...)...)
}

// serve lets a pod of the client's image show its files by HTTP at port 80, the one of two from which Glance fetches,
// and returns the address.
func serve(w *story.World, namespace, host string) string {
	w.Helper()
	clients := &corev1.PodList{}
	labels := map[string]string{"app": "files"}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "files", Labels: labels}}
	if err := w.List(w.Context(), clients, client.InNamespace(namespace)); err != nil {
		w.Fatal(err)
	}
	for _, p := range clients.Items {
		if strings.HasPrefix(p.Name, "openstack-client-") {
			pod.Spec.SecurityContext = p.Spec.SecurityContext
			pod.Spec.Containers = []corev1.Container{{Name: "files", Image: p.Spec.Containers[0].Image,
				SecurityContext: p.Spec.Containers[0].SecurityContext,
				Command:         []string{"python3", "-m", "http.server", "--directory", "/", "8080"}}}
		}
	}
	w.Apply(pod)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "files"}}
	service.Spec.Selector = labels
	service.Spec.Ports = []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}}
	w.Apply(service)
	w.Ready(time.Minute, pod)
	return "http://" + host
}
