package resources

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"stackwright.dev/kit/outcome"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// reasonMicroversion tells that the cloud lacks a microversion that is declared, or that something declared needs.
const reasonMicroversion = "MicroversionMissing"

// askFor asks for a microversion in all changes. One that the cloud does not have is refused before anything is sent.
func (t *target) askFor(ctx context.Context, microversion string) *outcome.Outcome {
	if t.microversion = microversion; microversion == "" {
		return nil
	}
	least, most, err := t.door.Microversions(ctx, t.kind.Service)
	switch {
	case ignoreAbsent(err) != nil: // at the root of its version Glance, for one, has nothing
		return failed(fmt.Errorf("reading the microversions of %s: %w", t.kind.Service, err))
	case most == "":
		return outcome.Refuse(reasonMicroversion, "spec.microversion is %s, and service %s of the cloud has no "+
			"microversions. Leave out spec.microversion.", t.microversion, t.kind.Service)
	case above(t.microversion, most) || above(least, t.microversion):
		return outcome.Refuse(reasonMicroversion, "spec.microversion is %s, and service %s of the cloud has those from %s "+
			"to %s. Give it one of these, or leave it out.", t.microversion, t.kind.Service, least, most)
	}
	return nil
}

// chosen is the microversion that a request is sent with. All changes have the one that the object asks for; what is
// read is read as lists are.
func (t *target) chosen(ctx context.Context, a asked) (string, error) {
	switch {
	case a.service != "":
		return "", nil
	case t.microversion != "" && a.method != http.MethodGet:
		return t.microversion, nil
	}
	return t.version(ctx, a.needs...)
}

// version is the microversion of a request that needs each of some.
func (t *target) version(ctx context.Context, needs ...string) (string, error) {
	need := highest(needs...)
	if need == "" {
		return "", nil
	}
	_, most, err := t.door.Microversions(ctx, t.kind.Service)
	if err != nil {
		return "", fmt.Errorf("reading the microversions of %s: %w", t.kind.Service, err)
	}
	if above(need, most) {
		return "", &waiting{outcome.Refuse(reasonMicroversion,
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
