package operator

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
)

// The pods of all workloads in the golden files are among those that are watched: of others no condition could tell
// why they do not start.
func TestOwnPodsAreAll(t *testing.T) {
	var files []string
	for _, p := range []string{"../*/testdata/*.yaml", "../*/*/testdata/*.yaml", "../*/*/*/testdata/*.yaml"} {
		more, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	template := regexp.MustCompile(`(?s)\n( +)template:\n( +)metadata:\n.*?\n( +)spec:\n`)
	name := regexp.MustCompile(labelName + `: (\S+)`)
	seen := map[string]bool{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range template.FindAllString(string(raw), -1) {
			found := name.FindStringSubmatch(m)
			if found == nil {
				if !strings.Contains(m, "\n    metadata:\n      labels:") {
					continue // of a kind that makes no pods, or of a case that shows a part
				}
				t.Errorf("%s has pods without the label %s:\n%s", f, labelName, m)
				continue
			}
			seen[found[1]] = true
			if !ownPods().Matches(labels.Set{labelName: found[1]}) {
				t.Errorf("%s makes pods named %s, which ownPods does not select", f, found[1])
			}
		}
	}
	if len(seen) < 15 {
		t.Errorf("the golden files show pods of %d names only: %v", len(seen), seen)
	}
}
