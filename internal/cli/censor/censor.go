package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// confidential are the keys of Secrets whose values nobody else may show. Values that are made of others, such as files
// of configuration and URLs, show these if they show anything.
var confidential = regexp.MustCompile(`(?i)(password|secret|token|cookie|key$|^[0-9]+$)`)

// shortest is the length in bytes of a value that is looked for. Shorter ones stand everywhere by chance.
const shortest = 8

// censor takes confidential values out of texts.
type censor struct {
	// forms of a value, as texts show it, by the Secret and the key that have it.
	forms map[string][][]byte
	// found are the values that a text had, by where.
	found map[string]bool
}

// newCensor reads the Secrets of namespaces. Without them nothing tells what may not be shown.
func newCensor(ctx context.Context, c client.Reader, namespaces []string) (*censor, error) {
	out := &censor{forms: map[string][][]byte{}, found: map[string]bool{}}
	for _, namespace := range namespaces {
		list := &corev1.SecretList{}
		if err := c.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, fmt.Errorf("reading the Secrets of namespace %s, whose values must not be in a bundle: %w; "+
				"ask as somebody who may list them", namespace, err)
		}
		for i := range list.Items {
			s := &list.Items[i]
			for key, value := range s.Data {
				if confidential.MatchString(key) {
					out.forms[fmt.Sprintf("key %s of Secret %s/%s", key, namespace, s.Name)] = forms(value)
				}
			}
		}
	}
	return out, nil
}

// forms are how texts show a value. Those of several lines, as keys in PEM, are indented and escaped in many ways, so
// their lines are looked for.
func forms(value []byte) [][]byte {
	value = bytes.TrimSpace(value)
	if len(value) < shortest {
		return nil
	}
	out := [][]byte{value, []byte(base64.StdEncoding.EncodeToString(value))}
	for line := range bytes.Lines(value) {
		line = bytes.TrimSpace(line)
		if len(line) < len(value) && len(line) >= 4*shortest && !bytes.HasPrefix(line, []byte("-----")) {
			out = append(out, line)
		}
	}
	return out
}

// clean returns a text without confidential values.
func (c *censor) clean(name string, text []byte) []byte {
	for of, forms := range c.forms {
		for _, form := range forms {
			if bytes.Contains(text, form) {
				c.found[of+" in "+name] = true
				text = bytes.ReplaceAll(text, form, []byte("(taken out: "+of+")"))
			}
		}
	}
	return text
}

// told is what was found where, sorted.
func (c *censor) told() []string { return slices.Sorted(maps.Keys(c.found)) }
