package kittest

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/why"
)

// Sound returns what a message lacks of a condition that speaks against an object: the name of an object or a field, or
// what to do next, be it to wait until the operator has done it.
func Sound(message string) error {
	said := prefix.ReplaceAllString(message, "")
	switch {
	case step.MatchString(said):
		return nil // the condition of that step tells the rest
	case !object.MatchString(said) && !begins(said):
		return errors.New("it names neither an object nor a field")
	case !why.Orders(said):
		return errors.New("it does not tell what to do next")
	}
	return nil
}

// begins tells whether a message begins with an object, such as `Secret db`.
func begins(said string) bool {
	m := opening.FindStringSubmatch(said)
	return m != nil && !slices.Contains([]string{"A", "All", "Any", "In", "It", "No", "Nothing", "Only", "The", "There",
		"This", "Waits", "What", "Changes", "Going", "Starts", "Stops"}, m[1])
}

var (
	// prefix is what the kit puts before what a step says.
	prefix = regexp.MustCompile(`^(The object is being deleted\. ?)?` +
		`((Step|Waits for component) [a-z][-a-z0-9]*: |Waits for the main component: )*`)
	step    = regexp.MustCompile(`^(Waits for step [a-z][-a-z0-9]*\.)?$`)
	opening = regexp.MustCompile(`^([A-Z][A-Za-z0-9]*) "?[a-z0-9]`)
	object  = regexp.MustCompile(strings.Join([]string{
		`\b(spec|metadata)\.[a-z]`,
		`"[^"]+"`,
		`\b[a-z0-9]+[-_/.=][a-z0-9]`,        // a name
		`[a-z0-9,;:)'] "?[A-Z][A-Za-z0-9]+`, // a kind inside of a sentence
		`\b(host|component|key|member|node|nodes|pod|resources?|service|step) "?[a-z0-9]`,
		`^The object is paused\b|\bmain component\b`,
	}, "|"))
)

// sound fails the play for what the operator has said in it of which nobody knows what to do next.
func (p *Play) sound() {
	p.T.Helper()
	seen := map[string]bool{}
	for _, c := range p.said() {
		if seen[c.Message] || !against(c) {
			continue
		}
		seen[c.Message] = true
		if err := Sound(c.Message); err != nil {
			p.T.Errorf("condition %s is %s, %s: %v: %q", c.Type, c.Status, c.Reason, err, c.Message)
		}
	}
}

// said are the conditions that the operator has written in this play.
func (p *Play) said() (out []metav1.Condition) {
	for _, x := range p.journal.since(0) {
		path, _, _ := strings.Cut(x.Path, "?")
		if x.Outside || x.Method != http.MethodPatch || !strings.HasSuffix(path, "/status") {
			continue
		}
		var o struct {
			Status struct{ Conditions []metav1.Condition }
		}
		p.must("reading a status that was written", json.Unmarshal(x.Body, &o))
		out = append(out, o.Status.Conditions...)
	}
	return out
}

// against tells whether a condition is one that people have to do something about.
func against(c metav1.Condition) bool {
	return c.Status != condition.True ||
		slices.Contains([]string{condition.Reconciling, condition.Stalled, condition.Paused}, c.Type)
}

// Repeats wants another process of the operator to say the same of each owner, byte for byte.
func (p *Play) Repeats() {
	p.T.Helper()
	before := p.messages()
	p.Restart()
	p.Settle()
	if d := cmp.Diff(before, p.messages()); d != "" {
		p.T.Errorf("two processes say different things (-first +second):\n%s", d)
	}
}

func (p *Play) messages() map[string]string {
	p.T.Helper()
	out := map[string]string{}
	for _, u := range p.owners() {
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, e := range list {
			c, _ := e.(map[string]any)
			kind, _ := c["type"].(string)
			out[full(u)+" "+kind], _ = c["message"].(string)
		}
	}
	return out
}
