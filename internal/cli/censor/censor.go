// Package censor takes the values of Secrets out of texts that somebody else is to read.
package censor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// longest is the length of a value beyond which it is looked for as it is only, for the sake of memory.
const longest = 4096

// Censor takes confidential values out of texts.
type Censor struct {
	// forms of values, as texts show them, by their first bytes; the longest first, as one may begin with another.
	forms map[[shortest]byte][]form
	// found are the values that a text had, by where.
	found map[string]bool
	// Passed are values that stand in every text, which are not looked for.
	Passed []string
}

// form is how a text shows a value.
type form struct {
	text string
	// of is what has the value.
	of string
	// word tells that the form counts only where no other word goes on before or after it.
	word bool
}

// New reads the Secrets of namespaces. Without them nothing tells what may not be shown.
func New(ctx context.Context, c client.Reader, namespaces []string) (*Censor, error) {
	k := &keyring{values: map[string]confidence{}, common: map[string]bool{}}
	for _, namespace := range namespaces {
		k.common[namespace] = true
		list := &corev1.SecretList{}
		err := Pages(ctx, c, list, namespace, func() error {
			for i := range list.Items {
				k.add(&list.Items[i])
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading the Secrets of namespace %s, whose values must not be in a bundle: %w; "+
				"ask as somebody who may list them", namespace, err)
		}
	}
	return k.censor(), nil
}

// pageSize is how many objects one answer of the API server has.
const pageSize = 500

// Pages lists the objects of a namespace, or of all, and does something with each page of them, so that many objects
// need no more memory than few.
func Pages(ctx context.Context, c client.Reader, list client.ObjectList, namespace string, do func() error) error {
	for {
		err := c.List(ctx, list, client.InNamespace(namespace), client.Limit(pageSize), client.Continue(list.GetContinue()))
		if err != nil {
			return err
		}
		if err := do(); err != nil {
			return err
		}
		if list.GetContinue() == "" {
			return nil
		}
	}
}

// keyring is the confidential values of Secrets.
type keyring struct {
	values map[string]confidence
	// common are names, which are no secrets even if somebody has taken one for a password: they stand everywhere.
	common map[string]bool
}

// helmRelease is the type of the Secrets in which Helm packs all that it has installed.
const helmRelease = "helm.sh/release.v1"

// add takes what is confidential in a Secret. What several Secrets have is known by the first of them, and rather as
// the value of a key than as a part of one.
func (k *keyring) add(s *corev1.Secret) {
	k.common[s.Name] = true
	if s.Type == helmRelease {
		return
	}
	for key, value := range s.Data {
		if names.MatchString(key) {
			k.common[strings.TrimSpace(string(value))] = true
		}
		for _, c := range confidences(key, value) {
			c.of = strings.TrimPrefix(c.of+" in key ", " in ") + key + " of Secret " + s.Namespace + "/" + s.Name
			if have, ok := k.values[c.value]; ok {
				c.of, c.sure = min(have.of, c.of), c.sure || have.sure
			}
			k.values[c.value] = c
		}
	}
}

// censor looks for the values.
func (k *keyring) censor() *Censor {
	out := &Censor{forms: map[[shortest]byte][]form{}, found: map[string]bool{}}
	for value, c := range k.values {
		if len(value) < shortest || number(value) || k.common[value] || everywhere[strings.ToLower(value)] {
			if c.of[:3] == "key" {
				out.Passed = append(out.Passed, c.of)
			}
			continue
		}
		word := len(value) < short || plain(value)
		for _, text := range shown(value) {
			head := [shortest]byte([]byte(text))
			out.forms[head] = append(out.forms[head], form{text, c.of, word})
		}
	}
	for _, forms := range out.forms {
		slices.SortFunc(forms, func(a, b form) int { return cmp.Or(len(b.text)-len(a.text), cmp.Compare(a.of, b.of)) })
	}
	slices.Sort(out.Passed)
	return out
}

// shown are the forms of a value: as it is, as Secrets have it, with the line feed that echo leaves or without, and as
// URLs and JSON do.
func shown(value string) []string {
	if len(value) > longest {
		return []string{value}
	}
	out := []string{value, base64.StdEncoding.EncodeToString([]byte(value)),
		base64.StdEncoding.EncodeToString([]byte(value + "\n")), url.QueryEscape(value), url.PathEscape(value),
		strings.ReplaceAll(url.QueryEscape(value), "+", "%20")}
	if text, err := json.Marshal(value); err == nil {
		out = append(out, string(text[1:len(text)-1]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Clean returns a text without confidential values: those of Secrets, and what is confidential by its look, such as a
// password that was in a Secret until somebody changed it.
func (c *Censor) Clean(name string, text []byte) []byte {
	text = c.cut(name, text, c.known(text))
	text = c.cut(name, text, keysIn(text))
	return c.cut(name, text, passwordsIn(text))
}

// span is a part of a text that nobody may show.
type span struct {
	from, to int
	of       string
}

// mark is what stands for what was taken out.
func mark(of string) string { return "(taken out: " + of + ")" }

// cut takes spans, which are in order, out of a text.
func (c *Censor) cut(name string, text []byte, spans []span) []byte {
	if len(spans) == 0 {
		return text
	}
	var out []byte
	kept := 0
	for _, s := range spans {
		c.found[s.of+" in "+name] = true
		out = append(append(out, text[kept:s.from]...), mark(s.of)...)
		kept = s.to
	}
	return append(out, text[kept:]...)
}

// known are the values of Secrets in a text.
func (c *Censor) known(text []byte) (out []span) {
	for i := 0; i+shortest <= len(text); i++ {
		if f := c.at(text, i); f != nil {
			out = append(out, span{i, i + len(f.text), f.of})
			i += len(f.text) - 1
		}
	}
	return out
}

// at is the form that begins at a place of a text; nil when none does.
func (c *Censor) at(text []byte, i int) *form {
	forms := c.forms[[shortest]byte(text[i:])]
	for n := range forms {
		f := &forms[n]
		if bytes.HasPrefix(text[i:], []byte(f.text)) && (!f.word || begins(text[:i]) && ends(text[i+len(f.text):])) {
			return f
		}
	}
	return nil
}

// begins tells whether a word may begin after a text, which may be the name of a line feed in JSON.
func begins(before []byte) bool {
	n := len(before)
	return n == 0 || !letter(before[n-1]) || n > 1 && before[n-2] == '\\' && strings.IndexByte("nrt", before[n-1]) >= 0
}

func ends(after []byte) bool { return len(after) == 0 || !letter(after[0]) }

// letter tells whether a byte goes on with a word, such as the name of an object.
func letter(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// Told is what was found where, sorted.
func (c *Censor) Told() []string { return slices.Sorted(maps.Keys(c.found)) }
