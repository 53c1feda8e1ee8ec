//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// logo is the picture that the story gives to the dashboard.
const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40">` +
	`<rect width="120" height="40" fill="#263"/>` +
	`<text x="60" y="26" fill="#fff" font-size="18" text-anchor="middle">Stories</text></svg>`

// An administrator opens the dashboard with a browser, logs in, and sees a server that runs, the services that there
// are, and nothing of those that there are not. The pods are killed, and the administrator is still logged in.
func TestHorizonOpens(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	branded(w, cp.Namespace)
	f := hosted(w, func(s *controlplanev1.Services) {
		s.Horizon = &controlplanev1.HorizonService{Branding: servicev1.HorizonBranding{SiteTitle: "Stories",
			Logos: "dashboard-logos"}}
	})
	_, remove := server(f)
	horizon := &servicev1.Horizon{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-horizon"}}
	t.Logf("Horizon is ready after %s", w.Ready(story.UpToReady, horizon))
	url := horizon.Status.Endpoints.Public
	w.Eventually(time.Minute, "the certificate is one of the control plane's authority", opens(w, cp, url))

	b := w.Browser(client.ObjectKey{Namespace: cp.Namespace, Name: "openstack-horizon-tls"})
	logIn(w, b, url)
	sees(w, b, url)
	t.Logf("%d pods were killed", f.KillAll(2*time.Minute, f.namespace, "openstack-horizon-"))
	w.Eventually(time.Minute, "a new pod answers", opens(w, cp, url))
	b.Do(chromedp.Navigate(url + "/project/instances/"))
	if text := b.Text("#instances"); !strings.Contains(text, "web") {
		t.Errorf("after the pods were killed the list is %s", text)
	}
	remove()
}

// branded makes the pictures of the dashboard.
func branded(w *story.World, namespace string) {
	w.Helper()
	logos := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "dashboard-logos"},
		Data: map[string]string{"logo.svg": logo}}
	w.Apply(logos)
	w.Cleanup(func() {
		if err := w.Delete(context.WithoutCancel(w.Context()), logos); err != nil {
			w.Error(err)
		}
	})
}

// server makes one that runs, and returns its host and what removes it.
func server(f fleet, change ...func(*fleetv1.BuildingBlock)) (rack *fleetv1.BuildingBlock, remove func()) {
	f.Helper()
	return scripted(f, "", change...)
}

// scripted is a server that is given another script than that of the file, unless it is empty.
func scripted(f fleet, script string, change ...func(*fleetv1.BuildingBlock)) (rack *fleetv1.BuildingBlock,
	remove func(),
) {
	f.Helper()
	rack = f.connected(change...)
	host := "guest." + f.Namespace + ".svc"
	offerCloud(f.World, host)
	picture := guestImage(f.World, host)
	objects := append(manifest(f.World, "testdata/server.yaml"), raw(f.World, picture))
	f.Apply(picture)
	for _, o := range objects[:len(objects)-1] {
		if o.GetKind() == "Secret" && script != "" {
			if err := unstructured.SetNestedField(o.Object, script, "stringData", "script"); err != nil {
				f.Fatal(err)
			}
		}
		f.Apply(o)
	}
	f.Eventually(3*time.Minute, "the server is ready", func(ctx context.Context) error {
		return allReady(ctx, f.World, objects)
	})
	return rack, func() { removeAll(f.World, objects) }
}

// opens checks that the page answers to who knows the control plane's authority.
func opens(w *story.World, cp *controlplanev1.OpenStackControlPlane, url string) func(context.Context) error {
	users := w.Users(cp)
	return func(ctx context.Context) error {
		page, err := users.Page(ctx, url)
		if err == nil && !strings.Contains(page, "id_password") {
			err = fmt.Errorf("%s answers %s", url, page)
		}
		return err
	}
}

// logIn does so as the administrator.
func logIn(w *story.World, b *story.Browser, url string) {
	w.Helper()
	admin := &corev1.Secret{}
	err := w.Get(w.Context(), client.ObjectKey{Namespace: "openstack", Name: "openstack-keystone-admin"}, admin)
	if err != nil {
		w.Fatal(err)
	}
	b.Do(chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("#id_username")))
	b.Picture("login")
	b.Do(chromedp.SendKeys(chromedp.CSS("#id_username"), "admin"),
		chromedp.SendKeys(chromedp.CSS("#id_password"), string(admin.Data["password"])),
		chromedp.Click(chromedp.CSS("#loginBtn")), chromedp.WaitVisible(chromedp.CSS(".topbar")))
}

// sees looks at the pages that everybody sees first.
func sees(w *story.World, b *story.Browser, url string) {
	w.Helper()
	b.Do(chromedp.Navigate(url + "/project/"))
	text := b.Text("#content_body")
	alerts := story.Asked(b, chromedp.Evaluate[string](
		`[...document.querySelectorAll("#main_content .alert")].map(a => a.innerText).join()`))
	if !strings.Contains(text, "Limit Summary") || alerts != "" {
		w.Errorf("the overview is %s, with alerts %q", text, alerts)
	}
	title := story.Asked(b, chromedp.Title())
	sidebar := story.Asked(b, chromedp.TextContent(chromedp.CSS("#sidebar-accordion")))
	picture := story.Asked(b, chromedp.Evaluate[string](
		`fetch(document.querySelector("img.openstack-logo").src).then(r => r.text())`, chromedp.EvalAwaitPromise))
	styled := story.Asked(b, chromedp.Evaluate[bool](`[...document.images].every(i => i.naturalWidth > 0) &&
		[...document.styleSheets].some(s => s.href && s.cssRules.length > 1000)`))
	b.Picture("overview")
	if !strings.HasSuffix(title, "Stories") || picture != logo || !styled {
		w.Errorf("the title is %s, pictures and style sheets are there: %t, and the logo is %s", title, styled, picture)
	}
	for entry, want := range map[string]bool{"Instances": true, "Networks": true, "Images": true, "Volumes": false,
		"Orchestration": false} {
		if strings.Contains(sidebar, entry) != want {
			w.Errorf("the menu has %s: %t\n%s", entry, !want, strings.Join(strings.Fields(sidebar), " "))
		}
	}
	b.Do(chromedp.Navigate(url + "/project/instances/"))
	if text := b.Text("#instances"); !strings.Contains(text, "web") || !strings.Contains(text, "Active") {
		w.Errorf("the list of servers is %s", text)
	}
	b.Picture("servers")
}
