package infratest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

// longest is how a definition limits the name of its objects.
var longest = regexp.MustCompile(`size\(self\.metadata\.name\)\s+<=\s+(\d+)`)

// LongName plays a scenario in which object, of the form Kind/namespace/name, and what is named after it have the
// longest name that the definition takes. All that is made then has names and labels that Kubernetes takes. Services of
// OpenStack promise it, too.
func LongName(t *testing.T, s kittest.Scenario, object string) {
	t.Helper()
	parts := strings.Split(object, "/")
	kind, namespace, short := parts[0], parts[1], parts[2]
	long := short + "-" + strings.Repeat("x", limit(t, s.CRDs, kind)-len(short)-1)
	s.Files = renamed(t, s.Files, short, long)
	for child, behaviour := range maps.Clone(s.Children) {
		if of, name, ok := strings.Cut(child, "/"); ok && follows(name, short) {
			s.Children[of+"/"+long+strings.TrimPrefix(name, short)] = behaviour
		}
	}
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		named := kind + "/" + namespace + "/" + long
		longer := p.Object(named)
		if longer == nil {
			t.Fatalf("there is no %s", named)
		}
		for _, wrong := range unfit(p.Objects()) {
			t.Error(wrong)
		}
		longer.SetName(long + "x")
		longer.SetResourceVersion("")
		longer.SetUID("")
		if err := p.Client.Create(p.T.Context(), longer); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("the answer to a name of %d characters is %v, want that it is too long", len(long)+1, err)
		}
	})
}

// limit reads it from the definition of a kind, in one of these files or folders.
func limit(t *testing.T, paths []string, kind string) int {
	t.Helper()
	var files []string
	for _, path := range paths {
		inside, err := filepath.Glob(filepath.Join(path, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if files = append(files, inside...); inside == nil {
			files = append(files, path)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := longest.FindSubmatch(text); m != nil && strings.Contains(string(text), "\n    kind: "+kind+"\n") {
			n, err := strconv.Atoi(string(m[1]))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("nothing limits the name of a %s", kind)
	return 0
}

// renamed copies files and gives whatever is named after short the same name after long.
func renamed(t *testing.T, files []string, short, long string) []string {
	t.Helper()
	dir, out := t.TempDir(), []string{}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var documents []string
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			u := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
				t.Fatal(err)
			}
			if follows(u.GetName(), short) {
				u.SetName(long + strings.TrimPrefix(u.GetName(), short))
			}
			changed, err := yaml.Marshal(u.Object)
			if err != nil {
				t.Fatal(err)
			}
			documents = append(documents, string(changed))
		}
		out = append(out, filepath.Join(dir, fmt.Sprintf("%d.yaml", i)))
		if err := os.WriteFile(out[i], []byte(strings.Join(documents, "---\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func follows(name, short string) bool { return name == short || strings.HasPrefix(name, short+"-") }

// unfit tells which names and labels Kubernetes would refuse, of objects and of what it makes of them.
func unfit(objects []*unstructured.Unstructured) (wrong []string) {
	for _, u := range objects {
		for what, why := range complaints(u) {
			if len(why) > 0 {
				wrong = append(wrong, fmt.Sprintf("%s %s: %s: %s", u.GetKind(), u.GetName(), what, strings.Join(why, "; ")))
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// complaints are those about one object. revision is as much as a controller's revision may add to a name.
func complaints(u *unstructured.Unstructured) map[string][]string {
	const revision = "-0123456789"
	name, out := u.GetName(), map[string][]string{"name": apivalidation.NameIsDNSSubdomain(u.GetName(), false)}
	switch u.GetKind() {
	case "Service":
		if u.GetAPIVersion() == "v1" {
			out["name"] = validation.IsDNS1035Label(name)
		}
	case "StatefulSet":
		n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		out["name of a pod"] = validation.IsDNS1123Label(fmt.Sprintf("%s-%d", name, max(n, 10)-1))
		out["label controller-revision-hash"] = validation.IsValidLabelValue(name + revision)
	case "Job":
		out["label job-name"] = validation.IsDNS1123Label(name)
	case "CronJob":
		out["name of a Job"] = validation.IsDNS1123Label(name + revision)
	case "Deployment", "DaemonSet":
		out["name"] = validation.IsDNS1123Label(name)
	}
	inside(u.Object, "", out)
	return out
}

// inside looks at labels, selectors, containers and volumes at any depth.
func inside(value any, at string, out map[string][]string) {
	switch v := value.(type) {
	case []any:
		for i, item := range v {
			inside(item, fmt.Sprintf("%s[%d]", at, i), out)
		}
	case map[string]any:
		for key, item := range v {
			here := at + "." + key
			fields, _ := item.(map[string]any)
			items, _ := item.([]any)
			switch key {
			case "labels", "matchLabels":
				for label, text := range fields {
					out[here+"."+label] = append(validation.IsQualifiedName(label), validation.IsValidLabelValue(fmt.Sprint(text))...)
				}
			case "containers", "initContainers", "volumes":
				for i, one := range items {
					named, _ := one.(map[string]any)
					out[fmt.Sprintf("%s[%d].name", here, i)] = validation.IsDNS1123Label(fmt.Sprint(named["name"]))
				}
			}
			inside(item, here, out)
		}
	}
}
