package arch

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	resourcekinds "stackwright.dev/stackwright/internal/resources/kinds"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.+?)\s*$`)
	fence    = regexp.MustCompile("(?ms)^ *```([a-z]*)\n(.*?)^ *```\\s*$")
	makeCall = regexp.MustCompile("(?m)(?:`|^\\s*\\$? ?)make ([a-z][a-z0-9-]*)")
	target   = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range files(t, ".md") {
		// Generated pages show patterns and maps of types in a way that looks like a link.
		if path.Dir(page) == "docs/reference" {
			continue
		}
		text := fence.ReplaceAllString(string(readFile(t, page)), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if why := broken(t, page, m[1]); why != "" {
				t.Errorf("%s links to %s: %s", page, m[1], why)
			}
		}
	}
}

// A page that nothing leads to is not read.
func TestEveryPageIsLinked(t *testing.T) {
	linked := map[string]bool{}
	pages := files(t, ".md")
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(string(readFile(t, page)), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			linked[path.Join(path.Dir(page), to)] = true
		}
	}
	for _, page := range pages {
		// A folder that is linked leads to its pages, as it is shown with a list of them.
		if strings.HasPrefix(page, "docs/") && !linked[page] && !linked[path.Dir(page)] {
			t.Errorf("no page links to %s; add it to docs/README.md", page)
		}
	}
}

// broken tells what is wrong with a link within the repository; links to other places are not followed.
func broken(t *testing.T, page, to string) string {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		return "not a link"
	}
	if u.Scheme != "" {
		return ""
	}
	file := page
	if u.Path != "" {
		file = path.Join(path.Dir(page), u.Path)
	}
	info, err := os.Stat(filepath.Join(root, file))
	switch {
	case err != nil:
		return "no such file"
	case u.Fragment == "" || info.IsDir() || path.Ext(file) != ".md":
		return ""
	case !slices.Contains(anchors(string(readFile(t, file))), u.Fragment):
		return "no such heading"
	}
	return ""
}

// anchors returns what the headings of a page can be linked by.
func anchors(text string) []string {
	var list []string
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		a := drop.ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(a, " ", "-"))
	}
	return list
}

func TestYAMLInPagesIsValid(t *testing.T) {
	for _, page := range files(t, ".md") {
		for _, m := range fence.FindAllStringSubmatch(string(readFile(t, page)), -1) {
			if m[1] != "yaml" {
				continue
			}
			for _, complaint := range validate(t, m[2], map[string]bool{}) {
				t.Errorf("%s: %s", page, complaint)
			}
		}
	}
}

func TestPagesCallTargetsThatExist(t *testing.T) {
	var targets []string
	for _, m := range target.FindAllStringSubmatch(string(readFile(t, "Makefile")), -1) {
		targets = append(targets, m[1])
	}
	for _, page := range files(t, ".md") {
		for _, m := range makeCall.FindAllStringSubmatch(string(readFile(t, page)), -1) {
			if !slices.Contains(targets, m[1]) {
				t.Errorf("%s calls make %s, which is no target of the Makefile", page, m[1])
			}
		}
	}
}

func TestDecisionsAreNumberedAndComplete(t *testing.T) {
	name := regexp.MustCompile(`^docs/adr/(\d{4})-[a-z0-9-]+\.md$`)
	numbers := map[string]string{}
	for _, page := range files(t, ".md") {
		if path.Dir(page) != "docs/adr" || path.Base(page) == "README.md" || path.Base(page) == "template.md" {
			continue
		}
		m := name.FindStringSubmatch(page)
		if m == nil {
			t.Errorf("%s is not named NNNN-title.md", page)
			continue
		}
		if other, ok := numbers[m[1]]; ok {
			t.Errorf("%s and %s have one number; take the next free one", page, other)
		}
		numbers[m[1]] = page
		for _, part := range []string{"context", "options", "decision", "consequences"} {
			if !slices.Contains(anchors(string(readFile(t, page))), part) {
				t.Errorf("%s has no heading %s", page, part)
			}
		}
	}
	if len(numbers) == 0 {
		t.Error("found no decision in docs/adr")
	}
}

func TestEveryKindHasAPageWithASample(t *testing.T) {
	for kind := range kinds(t) {
		page := "docs/kinds/" + strings.ToLower(kind) + ".md"
		content, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Errorf("%s has no page; write %s: example, try it, fields by task, conditions, how to debug", kind, page)
			continue
		}
		seen := map[string]bool{}
		for _, m := range fence.FindAllStringSubmatch(string(content), -1) {
			if m[1] == "yaml" {
				validate(t, m[2], seen)
			}
		}
		if !seen[kind] {
			t.Errorf("%s has no example of a %s, but of %v", page, kind, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// README.md says how many kinds of resources there are, and their page lists them.
func TestReadmeCountsTheKindsOfResources(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| \[[A-Za-z0-9]+\]\([a-z0-9]+\.md\) \|`)
	listed := len(row.FindAll(readFile(t, "docs/kinds/README.md"), -1))
	if want := len(resourcekinds.Served()); listed != want {
		t.Errorf("docs/kinds/README.md lists %d kinds, and %d are served; run make generate", listed, want)
	}
	if want := fmt.Sprintf("[%d kinds](docs/kinds/README.md)", listed); !strings.Contains(string(readFile(t, "README.md")),
		want) {
		t.Errorf("README.md does not say %s", want)
	}
}

// The page about conformance says of each kind which story plays it, or why none does.
func TestEachKindIsHeldToSomething(t *testing.T) {
	const page = "docs/explanation/conformance.md"
	played, _, _ := bytes.Cut(readFile(t, page), []byte("\n## What is not edited\n")) // which is of kinds that are played
	rows := regexp.MustCompile(`(?m)^\|.*\|$`).FindAll(played, -1)
	text := bytes.Join(rows, []byte("\n"))
	for _, k := range resourcekinds.Served() {
		if !regexp.MustCompile(`\b` + k.Name + `\b`).Match(text) {
			t.Errorf("%s has no row with %s", page, k.Name)
		}
	}
}

// The layers of ARCHITECTURE.md name each folder: at the top with a slash, below internal, cmd and test without.
func TestArchitectureNamesTheFolders(t *testing.T) {
	page := string(readFile(t, "ARCHITECTURE.md"))
	layers := fence.FindString(page)
	for _, top := range []string{".", "internal", "cmd", "test"} {
		entries, err := os.ReadDir(filepath.Join(root, top))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name, text := regexp.QuoteMeta(e.Name())+`\b`, layers
			if top == "." {
				name, text = regexp.QuoteMeta(e.Name())+"/", page
			}
			if e.IsDir() && !ignored(e.Name()) && !regexp.MustCompile(`(?m)(^|[\s`+"`"+`(])`+name).MatchString(text) {
				t.Errorf("ARCHITECTURE.md does not name %s", path.Join(top, e.Name()))
			}
		}
	}
}

// ignored tells whether a folder is no part of what is committed, or is about how that is kept.
func ignored(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "bin" || folder == "artifacts"
}

func TestAnchors(t *testing.T) {
	got := anchors("# One `code`: more\n```\n# not this\n```\n## Two_a-b\n")
	if want := []string{"one-code-more", "two_a-b"}; !slices.Equal(got, want) {
		t.Errorf("anchors are %v, want %v", got, want)
	}
}
