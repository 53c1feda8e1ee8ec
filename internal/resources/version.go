package resources

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"stackwright.dev/kit/outcome"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// version is the microversion of a request that needs each of some, or the one that the object asks for.
func (t *target) version(ctx context.Context, needs ...string) (string, error) {
	need := highest(needs...)
	switch {
	case t.microversion != "" && need != "":
		return t.microversion, nil
	case need == "":
		return "", nil
	}
	_, most, err := t.door.Microversions(ctx, t.kind.Service)
	if err != nil {
		return "", fmt.Errorf("reading the microversions of %s: %w", t.kind.Service, err)
	}
	if above(need, most) {
		return "", &waiting{outcome.Refuse("MicroversionMissing",
			"What is declared needs microversion %s of %s, and the cloud has %s at most. Leave out %s.",
			need, t.kind.Service, orNone(most), t.tooNew(most))}
	}
	return need, nil
}

func orNone(version string) string {
	if version == "" {
		return "none"
	}
	return version
}

// tooNew names the declared fields that a cloud is too old for.
func (t *target) tooNew(most string) string {
	var out []string
	for _, f := range t.kind.Fields {
		if _, ok := t.wanted[f.API]; ok && above(f.Since, most) {
			out = append(out, f.Spec())
		}
	}
	if len(out) == 0 {
		return "the change"
	}
	return strings.Join(out, ", ")
}

// since are the microversions that know fields.
func since(k *d.Kind, fields map[string]any) []string {
	var out []string
	for api, v := range fields {
		if f, ok := k.Field(api); ok && f.Since != "" {
			out = append(out, f.Since)
		} else if ok {
			out = append(out, sinceInner(f.Fields, v)...)
		}
	}
	return out
}

func sinceInner(fields []d.Field, v any) []string {
	var out []string
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	for _, f := range fields {
		for _, e := range list {
			m, _ := e.(map[string]any)
			if _, ok := m[f.API]; ok && f.Since != "" {
				out = append(out, f.Since)
			}
		}
	}
	return out
}

// highest is the highest of some microversions, empty when there is none.
func highest(versions ...string) string {
	out := ""
	for _, v := range versions {
		if above(v, out) {
			out = v
		}
	}
	return out
}

// above tells whether a microversion is higher than another; none is the lowest.
func above(a, b string) bool {
	x, y := numbers(a), numbers(b)
	return x[0] > y[0] || x[0] == y[0] && x[1] > y[1]
}

func numbers(version string) [2]int {
	major, minor, _ := strings.Cut(version, ".")
	var out [2]int
	for i, text := range []string{major, minor} {
		if n, err := strconv.Atoi(text); err == nil {
			out[i] = n
		}
	}
	return out
}
