//go:build e2e

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/test/e2e/story"
)

// confidential are the keys of Secrets whose values nobody else may show. Values that are made of others, such as files
// of configuration, show these if they show anything.
var confidential = regexp.MustCompile(`(?i)(password|secret|cookie|tls\.key|^[0-9]+$)`)

// No password or key is in logs, events, arguments, environments, ConfigMaps or status.
func TestSecretsStaySecret(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	secrets := &corev1.SecretList{}
	if err := w.List(t.Context(), secrets, client.InNamespace(cp.Namespace)); err != nil {
		t.Fatal(err)
	}
	values := map[string][]byte{}
	for _, s := range secrets.Items {
		for key, value := range s.Data {
			if confidential.MatchString(key) && len(value) >= 8 {
				values[s.Name+"/"+key] = bytes.TrimSpace(value)
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
			if bytes.Contains(content, value) {
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
}
