//go:build e2e

package e2e

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/test/e2e/story"
)

// confidential are the keys of Secrets whose values nobody else may show. Values that are made of others, such as files
// of configuration, show these if they show anything.
var confidential = regexp.MustCompile(`(?i)(password|secret|cookie|\.key$|^[0-9]+$)`)

// No password or key is in logs, events, arguments, environments, ConfigMaps or status.
func TestSecretsStaySecret(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	secrets := &corev1.SecretList{}
	if err := w.List(t.Context(), secrets, client.InNamespace(cp.Namespace)); err != nil {
		t.Fatal(err)
	}
	values := map[string][][]byte{}
	for _, s := range secrets.Items {
		for key, value := range s.Data {
			if confidential.MatchString(key) && len(value) >= 8 {
				values[s.Name+"/"+key] = forms(value)
			}
		}
	}
	if len(values) < 3 {
		t.Fatalf("found %d confidential values in %d Secrets; the test does not know their keys any more",
			len(values), len(secrets.Items))
	}
	// What is kept of a failure is everything there is to see, without Secrets.
	dir := w.Cluster.Keep("secret-scan")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for name, value := range values {
			shows := func(form []byte) bool { return bytes.Contains(content, form) }
			if slices.ContainsFunc(value, shows) {
				t.Errorf("%s shows Secret %s", path, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !t.Failed() {
		os.RemoveAll(dir)
	}
	bundled(t, w)
}

// bundled checks that what a person sends to others had no secret that had to be taken out.
func bundled(t *testing.T, w *story.World) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bundle.tar.gz")
	if _, err := w.Cluster.Stackwright(t.Context(), "bundle", file); err != nil {
		t.Fatal(err)
	}
	content, err := exec.CommandContext(t.Context(), "tar", "--to-stdout", "-xzf", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	if i := bytes.Index(content, []byte("(taken out")); i >= 0 {
		t.Errorf("a secret had to be taken out: %s", content[max(0, i-300):min(len(content), i+200)])
	}
	for _, want := range []string{"kind: OpenStackControlPlane", "kind: Keystone", "kind: Pod\n", "keystone-manage"} {
		if !bytes.Contains(content, []byte(want)) {
			t.Errorf("the bundle has no %q", want)
		}
	}
}

// forms are the ways in which a value could be shown: its longest line, as a key of several lines may be indented or
// cut, and the encoding that it has in a Secret.
func forms(value []byte) [][]byte {
	lines := bytes.Split(bytes.TrimSpace(value), []byte("\n"))
	longest := slices.MaxFunc(lines, func(a, b []byte) int { return len(a) - len(b) })
	return [][]byte{longest, []byte(base64.StdEncoding.EncodeToString(value))}
}
