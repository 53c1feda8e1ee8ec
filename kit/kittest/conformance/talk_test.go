package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// talk is a conversation with a server. It writes down what the server answers, without what differs from server to
// server: uids, times, absolute versions.
type talk struct {
	t    *testing.T
	http *http.Client
	host string
	log  strings.Builder
	// whole writes down whole objects rather than their metadata.
	whole bool
	last  map[string]any
	// seen has the version of each path, and the ownership entries met so far.
	seen    map[string]string
	entries []string
	uids    []string
}

func newTalk(t *testing.T, cfg *rest.Config) *talk {
	t.Helper()
	c, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	host := cfg.Host
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	return &talk{t: t, http: c, host: strings.TrimSuffix(host, "/"), seen: map[string]string{}}
}

// paths of the kinds in the cases.
var paths = map[string]string{
	"ConfigMap":                 "/api/v1/namespaces/%s/configmaps",
	"CronJob":                   "/apis/batch/v1/namespaces/%s/cronjobs",
	"DaemonSet":                 "/apis/apps/v1/namespaces/%s/daemonsets",
	"Deployment":                "/apis/apps/v1/namespaces/%s/deployments",
	"HorizontalPodAutoscaler":   "/apis/autoscaling/v2/namespaces/%s/horizontalpodautoscalers",
	"Ingress":                   "/apis/networking.k8s.io/v1/namespaces/%s/ingresses",
	"Job":                       "/apis/batch/v1/namespaces/%s/jobs",
	"Lease":                     "/apis/coordination.k8s.io/v1/namespaces/%s/leases",
	"NetworkPolicy":             "/apis/networking.k8s.io/v1/namespaces/%s/networkpolicies",
	"PersistentVolumeClaim":     "/api/v1/namespaces/%s/persistentvolumeclaims",
	"PodDisruptionBudget":       "/apis/policy/v1/namespaces/%s/poddisruptionbudgets",
	"Role":                      "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles",
	"RoleBinding":               "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings",
	"Secret":                    "/api/v1/namespaces/%s/secrets",
	"Service":                   "/api/v1/namespaces/%s/services",
	"ServiceAccount":            "/api/v1/namespaces/%s/serviceaccounts",
	"StatefulSet":               "/apis/apps/v1/namespaces/%s/statefulsets",
	"ValidatingAdmissionPolicy": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
	"Widget":                    "/apis/test.stackwright.dev/v1alpha1/namespaces/%s/widgets",
}

const namespace = "conformance"

// path of an object `Kind/name`, with a subresource if there is a third part; `Kind` is the collection.
func path(ref string) string {
	kind, rest, named := strings.Cut(ref, "/")
	p := paths[kind]
	if strings.Contains(p, "%s") {
		p = fmt.Sprintf(p, namespace)
	}
	if named {
		p += "/" + rest
	}
	return p
}

// apply is server-side apply of YAML.
func (c *talk) apply(manager, ref, object string) {
	c.t.Helper()
	c.do("apply as "+manager, http.MethodPatch, ref, "fieldManager="+manager, "application/apply-patch+yaml", object)
}

// force applies and takes over.
func (c *talk) force(manager, ref, object string) {
	c.t.Helper()
	query := "force=true&fieldManager=" + manager
	c.do("force as "+manager, http.MethodPatch, ref, query, "application/apply-patch+yaml", object)
}

// dry is apply without effect.
func (c *talk) dry(manager, ref, object string) {
	c.t.Helper()
	c.do("dry apply as "+manager, http.MethodPatch, ref, "dryRun=All&fieldManager="+manager,
		"application/apply-patch+yaml", object)
}

func (c *talk) merge(ref, patch string) {
	c.t.Helper()
	c.do("merge "+patch, http.MethodPatch, ref, "fieldManager=person", "application/merge-patch+json", patch)
}

func (c *talk) jsonPatch(ref, patch string) {
	c.t.Helper()
	c.do("json "+patch, http.MethodPatch, ref, "fieldManager=person", "application/json-patch+json", patch)
}

func (c *talk) strategic(ref, patch string) {
	c.t.Helper()
	c.do("strategic "+patch, http.MethodPatch, ref, "fieldManager=person", "application/strategic-merge-patch+json", patch)
}

func (c *talk) create(ref, object string) {
	c.t.Helper()
	c.do("create", http.MethodPost, ref, "fieldManager=person", "application/yaml", object)
}

func (c *talk) put(ref, object string) {
	c.t.Helper()
	c.do("put", http.MethodPut, ref, "fieldManager=person", "application/yaml", object)
}

func (c *talk) get(ref string) {
	c.t.Helper()
	c.do("get", http.MethodGet, ref, "", "", "")
}

func (c *talk) delete(ref, options string) {
	c.t.Helper()
	c.do("delete "+options, http.MethodDelete, ref, "", "application/json", options)
}

// unheard does not write down what is said in f.
func (c *talk) unheard(f func()) {
	before := c.log.String()
	f()
	c.log.Reset()
	c.log.WriteString(before)
}

// do sends a request; UID and RV in query and body stand for those of the last object.
func (c *talk) do(what, method, ref, query, media, body string) {
	c.t.Helper()
	body = c.fill(body)
	resp := c.send(method, path(ref)+"?"+c.fill(query), media, body)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, ref, err)
	}
	got := map[string]any{}
	if err := json.Unmarshal(raw, &got); err != nil {
		c.t.Fatalf("%s %s: %v: %s", method, ref, err, raw)
	}
	fmt.Fprintf(&c.log, "%s %s -> %d %s\n", strings.TrimSpace(what), ref, resp.StatusCode, c.describe(ref, got))
}

func (c *talk) fill(s string) string {
	u := &unstructured.Unstructured{Object: c.last}
	if c.last == nil {
		return s
	}
	return strings.NewReplacer("$UID", string(u.GetUID()), "$RV", u.GetResourceVersion()).Replace(s)
}

func (c *talk) send(method, uri, media, body string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, c.host+uri, bytes.NewReader([]byte(body)))
	if err != nil {
		c.t.Fatalf("making a request: %v", err)
	}
	req.Header.Set("Content-Type", media)
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, uri, err)
	}
	return resp
}

var addresses = regexp.MustCompile(`\b10\.\d+\.\d+\.\d+\b`)

var times = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)

func (c *talk) describe(ref string, got map[string]any) string {
	if items, ok := got["items"].([]any); ok {
		return c.page(got, items)
	}
	if got["kind"] == "Status" {
		return c.status(got)
	}
	c.last = got
	u := &unstructured.Unstructured{Object: got}
	out := []string{c.moved(ref, u), fmt.Sprintf("generation %d", u.GetGeneration())}
	if u.GetDeletionTimestamp() != nil {
		out = append(out, fmt.Sprintf("deleting with %v, grace %v", u.GetFinalizers(), at(got, "deletionGracePeriodSeconds")))
	}
	managers := u.GetManagedFields() // in the order of their seconds, which says nothing
	slices.SortFunc(managers, func(a, b metav1.ManagedFieldsEntry) int {
		return strings.Compare(a.Manager+string(a.Operation)+a.Subresource, b.Manager+string(b.Operation)+b.Subresource)
	})
	for _, m := range managers {
		out = append(out, c.owns(m.Manager, string(m.Operation), m.Subresource, m.FieldsV1.GetRawBytes()))
	}
	if c.whole {
		out = append(out, "\n"+indent(c.plain(u)))
	}
	return strings.Join(out, ", ")
}

// page describes a list.
func (c *talk) page(list map[string]any, items []any) string {
	var names []string
	for _, e := range items {
		if m, ok := e.(map[string]any); ok {
			names = append(names, fmt.Sprint(at(m, "name")))
		}
	}
	next, left := at(list, "continue"), at(list, "remainingItemCount")
	return fmt.Sprintf("%v %v, more: %v, left: %v", list["kind"], names, next != nil && next != "", left)
}

func (c *talk) list(kind, query string) {
	c.t.Helper()
	c.do("list "+query, http.MethodGet, kind, query, "", "")
}

func at(object map[string]any, field string) any {
	m, _ := object["metadata"].(map[string]any)
	return m[field]
}

// moved tells whether the version of an object is a new one.
func (c *talk) moved(ref string, u *unstructured.Unstructured) string {
	base := u.GetKind() + "/" + u.GetName()
	if before, ok := c.seen[base]; ok && before == u.GetResourceVersion() {
		return "same version"
	}
	c.seen[base] = u.GetResourceVersion()
	return "new version"
}

// owns describes an ownership entry: applied ones by number of their first appearance, with their fields at that.
func (c *talk) owns(manager, operation, sub string, fields []byte) string {
	who := strings.TrimSuffix(manager+" "+operation+" "+sub, " ")
	if operation != "Apply" && !c.whole {
		return who
	}
	text := c.hide(string(fields))
	i := slices.Index(c.entries, text)
	if i < 0 {
		c.entries = append(c.entries, text)
		return fmt.Sprintf("%s #%d=%s", who, len(c.entries)-1, text)
	}
	return fmt.Sprintf("%s #%d", who, i)
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// hide replaces uids and times.
func (c *talk) hide(s string) string {
	s = uuid.ReplaceAllStringFunc(s, func(id string) string {
		if !slices.Contains(c.uids, id) {
			c.uids = append(c.uids, id)
		}
		return fmt.Sprintf("UID-%d", slices.Index(c.uids, id))
	})
	return addresses.ReplaceAllString(times.ReplaceAllString(s, "TIME"), "ADDRESS")
}

// plain is the object without what the server counts.
func (c *talk) plain(u *unstructured.Unstructured) string {
	u = u.DeepCopy()
	u.SetManagedFields(nil)
	u.SetResourceVersion("")
	unstructured.RemoveNestedField(u.Object, "status", "currentMetrics") // null in the real answer
	u.SetFinalizers(slices.DeleteFunc(u.GetFinalizers(), func(f string) bool {
		return f == "kubernetes.io/pvc-protection" // from admission
	}))
	if len(u.GetFinalizers()) == 0 {
		u.SetFinalizers(nil)
	}
	raw, err := yaml.Marshal(u.Object)
	if err != nil {
		c.t.Fatalf("encoding: %v", err)
	}
	return c.hide(string(raw))
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ")
}

// status describes an error, with its causes, or a success.
func (c *talk) status(got map[string]any) string {
	out := fmt.Sprint(got["status"], " ", got["reason"])
	details, _ := got["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	var lines []string
	for _, e := range causes {
		m, _ := e.(map[string]any)
		lines = append(lines, fmt.Sprintf("%v at %v: %v", m["reason"], m["field"], c.short(m["message"])))
	}
	slices.Sort(lines)
	if len(lines) == 0 && got["message"] != nil {
		lines = []string{c.short(got["message"])}
	}
	if name := details["name"]; name != nil {
		out += fmt.Sprint(" ", details["kind"], " ", name)
	}
	return out + "; " + strings.Join(lines, "; ")
}

var (
	numbers = regexp.MustCompile(`\b\d{2,}\b|record \(\d+\)`)
	storage = regexp.MustCompile(`StorageError: .*AdditionalErrorMsg: `)
	values  = regexp.MustCompile(`(Invalid value|Unsupported value|Duplicate value): .*?: ([a-zA-Z\x60])`)
)

// short leaves out values, which Go types and maps print differently.
func (c *talk) short(message any) string {
	s := c.hide(fmt.Sprint(message))
	s, _, _ = strings.Cut(s, "\n")
	s = values.ReplaceAllString(s, "$1: $2")
	s = storage.ReplaceAllString(s, "")
	return numbers.ReplaceAllString(s, "N")
}

// clean removes what a case made.
func (c *talk) clean() {
	c.t.Helper()
	for _, kind := range slices.Sorted(maps.Keys(paths)) {
		resp := c.send(http.MethodGet, path(kind), "", "")
		l := &unstructured.UnstructuredList{}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil {
			err = l.UnmarshalJSON(raw)
		}
		if err != nil {
			c.t.Fatalf("listing %s: %v: %s", kind, err, raw)
		}
		for _, u := range l.Items {
			if u.GetName() == "kubernetes" || u.GetName() == "kube-root-ca.crt" || u.GetName() == "default" {
				continue
			}
			p := path(kind) + "/" + u.GetName()
			c.send(http.MethodPatch, p, "application/merge-patch+json", `{"metadata":{"finalizers":null}}`).Body.Close()
			c.send(http.MethodDelete, p, "application/json", `{"propagationPolicy":"Background"}`).Body.Close()
		}
	}
}
