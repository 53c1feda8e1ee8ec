package story

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// confidential are the keys of Secrets whose values nobody else may show; the last are Ceph's users. The command line
// has rules of its own for what a bundle shows, which are not to be believed here.
var confidential = regexp.MustCompile(
	`(?i)(password|secret|token|cookie|(^|[._-])key(ring)?$|^[0-9]+$|^client\.|^(admin|mon|mgr|osd)[.0-9]*$)`)

// structured are the keys of Secrets with files of configuration, assigned are the passwords and keys in them.
var (
	structured = regexp.MustCompile(`(\.(conf|ya?ml|json)|keyring|clients|connection|transport_url)$`)
	assigned   = []*regexp.Regexp{
		regexp.MustCompile(`(?i)(?:password|secret|token|kek|key)["']?\s*[:=]\s*["']?([^\s"',:/@][^\s"',:@]{15,})`),
		regexp.MustCompile(`(?:://|,)[^\s:/@,]*:([^\s:/@,]{16,})@`),
	}
)

// Secretive checks that no password or key of a namespace is in logs, events, arguments, environments, ConfigMaps or
// status, nor in what a person bundles to send to others, which has all words.
func (w *World) Secretive(namespace string, words ...string) {
	w.Helper()
	values := w.confidences(namespace)
	w.Logf("namespace %s has %d confidential values", namespace, len(values))
	if len(values) < 3 {
		w.Fatalf("found %d confidential values in namespace %s; the test does not know their keys any more", len(values),
			namespace)
	}
	// What is kept of a failure is everything there is to see, without Secrets.
	dir := w.Cluster.Keep("secret-scan")
	w.telling(dir)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for name, value := range values {
			shows := func(form []byte) bool { return bytes.Contains(content, form) }
			if slices.ContainsFunc(value, shows) {
				w.Errorf("%s shows Secret %s", path, name)
			}
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	if !w.Failed() {
		os.RemoveAll(dir)
	}
	w.bundled(values, words)
}

// telling checks that what is kept of the cluster tells of it: in what is empty no secret is found.
func (w *World) telling(dir string) {
	w.Helper()
	for file, want := range map[string]string{"objects.yaml": "kind: Pod\n", "events.txt": "Normal", "pods.txt": "Running",
		"secrets.txt": "Opaque"} {
		if content, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !bytes.Contains(content, []byte(want)) {
			w.Errorf("what is kept in %s has no %q (%d bytes, error %v)", file, want, len(content), err)
		}
	}
	logs, err := filepath.Glob(filepath.Join(dir, "logs", "*", "*", "*.log"))
	full := slices.DeleteFunc(logs, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || info.Size() == 0
	})
	if len(full) < 5 {
		w.Errorf("the logs of %d containers are kept, want those of five or more (error %v)", len(full), err)
	}
}

// confidences are the confidential values of a namespace in all forms in which they could be shown, by name and key of
// their Secret.
func (w *World) confidences(namespace string) map[string][][]byte {
	w.Helper()
	secrets := &corev1.SecretList{}
	if err := w.List(w.Context(), secrets, client.InNamespace(namespace)); err != nil {
		w.Fatal(err)
	}
	values := map[string][][]byte{}
	for _, s := range secrets.Items {
		for key, value := range s.Data {
			if confidential.MatchString(key) && len(value) >= 8 {
				values[s.Name+"/"+key] = forms(value)
			}
			if !structured.MatchString(key) {
				continue
			}
			for _, a := range assigned {
				for _, m := range a.FindAllSubmatch(value, -1) {
					values[fmt.Sprintf("%s/%s, byte %d", s.Name, key, bytes.Index(value, m[1]))] = forms(m[1])
				}
			}
		}
	}
	return values
}

// bundled checks that what a person sends to others shows no value, and had none that had to be taken out.
func (w *World) bundled(values map[string][][]byte, words []string) {
	w.Helper()
	file := filepath.Join(w.TempDir(), "bundle.tar.gz")
	if _, err := w.Cluster.Stackwright(w.Context(), "bundle", file); err != nil {
		w.Fatal(err)
	}
	content, err := exec.CommandContext(w.Context(), "tar", "--to-stdout", "-xzf", file).Output()
	if err != nil {
		w.Fatal(err)
	}
	for name, value := range values {
		if slices.ContainsFunc(value, func(form []byte) bool { return bytes.Contains(content, form) }) {
			w.Errorf("the bundle shows Secret %s", name)
		}
	}
	if i := bytes.Index(content, []byte("(taken out")); i >= 0 {
		w.Errorf("a secret had to be taken out: %s", content[max(0, i-300):min(len(content), i+200)])
	}
	for _, want := range words {
		if !bytes.Contains(content, []byte(want)) {
			w.Errorf("the bundle has no %q", want)
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
