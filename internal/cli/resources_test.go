package cli

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

const resourcesFile = "testdata/resources.yaml"

// withCloud is a world that has a cloud in namespace openstack.
func withCloud(t *testing.T) (*world, *fake.Cloud) {
	t.Helper()
	w := newWorld(t, resourcesFile)
	c := fake.New(kinds.Served())
	w.outside = c
	w.writes.Store(0)
	return w, c
}

func TestResourcesList(t *testing.T) {
	w := newWorld(t, resourcesFile)
	r := w.run("resources", "list").want(t, exitDone)
	kittest.Golden(t, "testdata/resources-list.txt", ageless(r.out))
	w.run("resources", "list", "-A").want(t, exitDone, "elsewhere  Project/far", "-          ClusterCloud/north")
	w.run("resources", "list", "-n", "nowhere").want(t, exitDone, "ClusterCloud/north")
	for _, s := range answers[[]resourceState](t, w, exitDone, "resources", "list") {
		if s.Name == "shop" && (s.ID != "aaaa" || s.Cloud != "Cloud/default" || s.Ready || s.Reason != "Waiting") {
			t.Errorf("the project is %+v", s)
		}
	}
}

func TestResourcesDrift(t *testing.T) {
	w := newWorld(t, resourcesFile)
	r := w.run("resources", "drift").want(t, exitNo)
	kittest.Golden(t, "testdata/resources-drift.txt", r.out)
	w.run("resources", "drift", "-n", "elsewhere").want(t, exitDone, "There is no drift.")
	if got := answers[[]resourceState](t, w, exitNo, "resources", "drift"); len(got) != 1 || len(got[0].Drift) != 2 {
		t.Errorf("the drift is %+v", got)
	}
}

func TestResourcesImport(t *testing.T) {
	w, c := withCloud(t)
	c.Put("Project", map[string]any{"id": "aaaa", "name": "shop"}) // that of an object that is there
	c.Put("Project", map[string]any{"id": "bbbb", "name": "Web Shop", "parent_id": "aaaa"})
	c.Put("User", map[string]any{"id": "cccc", "name": "robot", "default_project_id": "bbbb"})
	c.Put("EC2Credential", map[string]any{"id": "dddd", "user_id": "cccc", "project_id": "bbbb",
		"type": "ec2"})
	c.Put("RoleAssignment", map[string]any{"role_id": "rrrr", "user_id": "cccc", "project_id": "bbbb"})
	only := []string{"resources", "import", "--kind", "projects,User,ec2credential,roleassignments"}

	r := w.run(append(only, "--dry-run")...).want(t, exitDone)
	kittest.Golden(t, "testdata/resources-import-dry.txt", r.out)
	r = w.run(append(only, "--dry-run", "-o", "yaml")...).want(t, exitDone, "4 objects would be made")
	kittest.Golden(t, "testdata/resources-import.yaml", r.out)
	if n := w.writes.Load(); n != 0 {
		t.Errorf("%d writes by dry runs", n)
	}
	r = w.run(only...).want(t, exitDone, "4 objects were made in namespace openstack.")
	kittest.Golden(t, "testdata/resources-import.txt", r.out)
	w.writes.Store(0)
	w.run(only...).want(t, exitDone, "Nothing was changed: 5 resources have objects already, 0 cannot have one.")
	if n := w.writes.Load(); n != 0 {
		t.Errorf("%d writes by a second run", n)
	}
	var o openstackv1.User
	must(t, w.client.Get(t.Context(), client.ObjectKey{Namespace: "openstack", Name: "robot"}, &o))
	if ref := o.Spec.Resource.DefaultProjectRef; ref == nil || ref.Name != "web-shop" || o.Spec.Policy != "observe" ||
		o.ManagedFields[0].Manager != "stackwright-import" {
		t.Errorf("the user is %+v", o)
	}
	for _, q := range c.Requests() {
		if q.Method != http.MethodGet {
			t.Errorf("%s %s was sent", q.Method, q.Path)
		}
	}
}

func TestResourcesImportRefuses(t *testing.T) {
	w, c := withCloud(t)
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"--kind Nothing":             {exitUsage, "there is no kind Nothing; the kinds are Region, "},
		"--policy own":               {exitUsage, "use one of observe, adopt, managed, detach"},
		"--filter name":              {exitUsage, "--filter name is no field=value"},
		"--filter colour=red":        {exitUsage, "no kind has all the fields of the filter"},
		"--cloud none":               {exitFailed, "there is no Cloud none in namespace openstack and no ClusterCloud"},
		"--cloud Cloud/north":        {exitFailed, "namespace openstack has no Cloud north"},
		"--cloud Box/north":          {exitUsage, "say Cloud/NAME or ClusterCloud/NAME"},
		"-n elsewhere --cloud north": {exitFailed, "ClusterCloud north is not for namespace elsewhere: "},
		"--cloud empty":              {exitFailed, "has no key clouds.yaml; put the clouds.yaml of the cloud there"},
		"--cloud secretless":         {exitFailed, "reading the Secret of Cloud secretless"},
		"--cloud unreachable":        {exitFailed, "opening Cloud unreachable: "},
		"--project none":             {exitFailed, "the cloud has no project none that its credentials see"},
		"--kind Service --cloud few": {exitFailed,
			"Cloud few is not for objects of kind Service; its spec.kinds has Project"},
		"--filter name=no --cloud few":     {exitDone, "Nothing was found."},
		"-o table":                         {exitUsage, "use json or yaml"},
		"--kind Project --project twofold": {exitFailed, "2 projects are named twofold; use one of the ids one, two"},
	} {
		c.Put("Project", map[string]any{"id": "one", "name": "twofold"})
		c.Put("Project", map[string]any{"id": "two", "name": "twofold", "domain_id": "other"})
		c.Put("Service", map[string]any{"id": "s", "name": "s", "type": "compute"})
		t.Run(line, func(t *testing.T) {
			args := append([]string{"resources", "import", "--dry-run"}, strings.Fields(line)...)
			w.run(args...).want(t, want.code, want.text)
		})
	}
	w.run("resources", "imports").want(t, exitUsage, `there is no command "imports"`)
	c.Password = "another"
	w.run("resources", "import").want(t, exitFailed, "opening Cloud default: ", "requires authentication")
}

// Rights in one namespace are enough to import into it; to call something an orphan they are not.
func TestResourcesInOneNamespace(t *testing.T) {
	w, c := withCloud(t)
	c.Put("Project", map[string]any{"id": "aaaa", "name": "shop"})
	c.Put("Project", map[string]any{"id": "bbbb", "name": "web"})
	w.forbids = func(r *http.Request) bool {
		return strings.Contains(r.URL.Path, openstackv1.GroupVersion.String()+"/") &&
			!strings.Contains(r.URL.Path, "/namespaces/openstack/")
	}
	w.run("resources", "import", "--kind", "project").want(t, exitDone,
		"Only the objects of namespace openstack are looked at", "1 objects were made")
	w.run("resources", "list").want(t, exitDone, "Project/web")
	w.run("resources", "orphans").want(t, exitFailed,
		"looking at the objects of all namespaces, which it takes to know an orphan")
	w.forbids = func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/secrets/") }
	w.run("resources", "import").want(t, exitFailed, "ask for the right to get this Secret")
	w.forbids = func(r *http.Request) bool { return r.Method == http.MethodPatch }
	c.Put("Project", map[string]any{"id": "cccc", "name": "more"})
	w.run("resources", "import", "--kind", "project").want(t, exitFailed,
		"0 objects were made before this; run it again to go on: making Project/more: ")
}

// What the API server refuses does not keep the others out.
func TestResourcesImportIsRefused(t *testing.T) {
	w, c := withCloud(t)
	c.Put("Region", map[string]any{"id": "good"})
	// The API server alone knows that an id has an end.
	c.Put("Region", map[string]any{"id": strings.Repeat("x", 256)})
	w.run("resources", "import", "--kind", "region").want(t, exitFailed, "was refused: ", "1 objects were made",
		"1 objects were refused")
}

// Of several clusters that keep resources in one cloud each has its own orphans.
func TestResourcesOrphansOfClusters(t *testing.T) {
	w, c := withCloud(t)
	system := &corev1.Namespace{}
	system.Name = "kube-system"
	must(t, w.client.Create(t.Context(), system))
	here := resources.ClusterID(system.UID)
	if len(here) != 8 {
		t.Fatalf("the cluster is named %q", here)
	}
	c.Put("User", map[string]any{"id": "aaaa", "name": "mine", "stackwright_owner": "somebody." + here})
	c.Put("User", map[string]any{"id": "bbbb", "name": "theirs", "stackwright_owner": "somebody.ffffffff"})
	c.Put("User", map[string]any{"id": "cccc", "name": "old", "stackwright_owner": "somebody"})
	r := w.run("resources", "orphans", "--kind", "user").want(t, exitNo, "aaaa", here,
		"2 more are of another cluster, or do not tell of which; see them with --all-clusters.")
	if strings.Contains(r.out, "bbbb") || strings.Contains(r.out, "cccc") {
		t.Errorf("those of others are listed:\n%s", r.out)
	}
	w.run("resources", "orphans", "bbbb", "--delete", "--yes").want(t, exitFailed, "bbbb: no orphan has this id")
	w.run("resources", "orphans", "--delete", "--yes").want(t, exitDone, "aaaa")
	if n := len(c.All("User")); n != 2 {
		t.Errorf("%d users are there, want those of the others", n)
	}
	w.run("resources", "orphans", "--all-clusters").want(t, exitNo, "bbbb", "ffffffff", "cccc")
	w.forbids = func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/namespaces/kube-system") }
	w.run("resources", "orphans").want(t, exitFailed, "ask for the right to get it, or give --all-clusters")
	w.run("resources", "orphans", "bbbb", "--all-clusters", "--delete", "--yes").want(t, exitDone, "bbbb")
}

// A project with a thousand resources becomes a thousand objects; once they are there nothing is written.
func TestResourcesImportOfAProject(t *testing.T) {
	w, c := withCloud(t)
	importThousand(t, w, c, "openstack")
}

func importThousand(t *testing.T, w *world, c *fake.Cloud, namespace string) {
	t.Helper()
	for _, name := range []string{"big", "other"} {
		project := c.Put("Project", map[string]any{"id": name, "name": name})
		for i := range 333 {
			c.Put("RoleAssignment", map[string]any{"role_id": "member", "user_id": fmt.Sprint("user", i),
				"project_id": project})
			c.Put("Limit", map[string]any{"service_id": "s", "project_id": project, "resource_name": fmt.Sprint("r", i),
				"resource_limit": float64(i)})
			c.Put("EC2Credential", map[string]any{"id": fmt.Sprint(name, i), "user_id": fmt.Sprint("user", i),
				"project_id": project, "type": "ec2"})
		}
	}
	all := []string{"resources", "import", "-n", namespace, "--project", "big", "--kind",
		"project,limit,roleassignment,ec2credential"}
	for run, want := range []string{
		"1000 objects were made in namespace " + namespace + ".",
		"Nothing was changed: 1000 resources have objects already, 0 cannot have one.",
	} {
		before, asked, began := resourceVersions(t, w), len(c.Requests()), time.Now()
		w.run(all...).want(t, exitDone, want, "set spec.allProjects of Cloud default.")
		t.Logf("run %d: %d requests to the cloud, %v", run+1, len(c.Requests())-asked, time.Since(began))
		after := resourceVersions(t, w)
		if run == 0 && len(after)-len(before) != 1000 {
			t.Errorf("%d objects are new, want 1000", len(after)-len(before))
		}
		if diff := cmp.Diff(before, after); run == 1 && diff != "" {
			t.Errorf("a second run changes objects (-before +after):\n%s", diff)
		}
	}
}

// resourceVersions are the versions of all objects of resources. It lists all kinds at once: the first list of a kind
// takes a real API server a second.
func resourceVersions(t *testing.T, w *world) map[string]string {
	t.Helper()
	var wg sync.WaitGroup
	var mutex sync.Mutex
	out := map[string]string{}
	for _, k := range kinds.Served() {
		wg.Go(func() {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(openstackv1.GroupVersion.WithKind(k.Name + "List"))
			if err := w.client.List(t.Context(), list); err != nil {
				t.Errorf("listing %s: %v", list.GetKind(), err)
			}
			mutex.Lock()
			defer mutex.Unlock()
			for _, o := range list.Items {
				out[k.Name+"/"+o.GetName()] = o.GetResourceVersion()
			}
		})
	}
	wg.Wait()
	return out
}

func TestResourcesOrphans(t *testing.T) {
	w, c := withCloud(t)
	var shop openstackv1.Project
	must(t, w.client.Get(t.Context(), client.ObjectKey{Namespace: "openstack", Name: "shop"}, &shop))
	w.run("resources", "orphans").want(t, exitDone, "There are no orphans.",
		"they do not show whose they are: ", "Domain, GroupMembership, ")
	project, err := kindsNamed([]string{"project"})
	must(t, err)
	ours := resources.Marker(project[0], &shop)
	c.Put("Project", map[string]any{"id": "aaaa", "name": "shop", "stackwright_owner": ours})
	c.Put("Project", map[string]any{"id": "bbbb", "name": "left", "stackwright_owner": "somebody"})
	c.Put("User", map[string]any{"id": "cccc", "name": "robot", "stackwright_owner": "else"})
	c.Put("User", map[string]any{"id": "dddd", "name": "free"})

	r := w.run("resources", "orphans", "--kind", "project,user,domain").want(t, exitNo)
	kittest.Golden(t, "testdata/resources-orphans.txt", r.out)
	w.run("resources", "orphans", "--delete").want(t, exitNo,
		"Nothing was deleted. To delete all of these, repeat it with --yes.")
	w.run("resources", "orphans", "--yes").want(t, exitUsage, "--yes confirms --delete")
	w.run("resources", "orphans", "aaaa", "--delete", "--yes").want(t, exitFailed, "aaaa: no orphan has this id")
	if n := len(c.All("Project")) + len(c.All("User")); n != 4 {
		t.Errorf("%d resources are there, want all 4", n)
	}
	w.run("resources", "orphans", "bbbb", "--delete", "--yes").want(t, exitDone, "bbbb", "yes")
	w.run("resources", "orphans", "--kind", "project").want(t, exitDone, "There are no orphans.")
	c.Fault = func(_ int, r *http.Request) fake.Fault {
		if r.Method == http.MethodDelete {
			return fake.Down
		}
		return fake.None
	}
	w.run("resources", "orphans", "--delete", "--yes").want(t, exitFailed, "deleting User cccc: ",
		"1 orphans could not be deleted")
	c.Fault = nil
	got := answers[orphanage](t, w, exitNo, "resources", "orphans")
	if len(got.Orphans) != 1 || got.Orphans[0].ID != "cccc" || len(got.Blind) == 0 {
		t.Errorf("the orphans are %+v", got)
	}
	w.run("resources", "orphans", "--delete", "--yes").want(t, exitDone)
	if ids := append(c.IDs("User"), c.IDs("Project")...); fmt.Sprint(ids) != "[dddd aaaa]" {
		t.Errorf("there are %v", ids)
	}
}
