package buildingblock

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/service/oslo"
	"stackwright.dev/stackwright/releases"
)

// optionsDir has what a person asks of libvirt, in files that are called as libvirt's own.
const optionsDir = "/etc/stackwright/options"

// fieldLibvirt is where a person asks for it.
const fieldLibvirt = "spec.agents.libvirt.config"

// libvirtOptions checks what a person asks of libvirt and writes it as libvirt reads it, which is not as oslo.config
// does. There is no Secret when nothing is asked for, as then no pod is to change.
func libvirtOptions(b object) (*corev1.Secret, error) {
	asked := b.Spec.Agents.Libvirt.Config
	if len(asked) == 0 {
		return nil, nil
	}
	file, err := over(&oslo.File{}, b.Spec.Release, imageLibvirt, fieldLibvirt, asked)
	if err != nil {
		return nil, &outcome.Error{Class: outcome.Invalid, Reason: "InvalidConfig", Err: err}
	}
	known, err := catalogue.Load(releases.Files, b.Spec.Release, imageLibvirt)
	if err != nil {
		return nil, err
	}
	out := &corev1.Secret{ObjectMeta: meta(b, libvirtName(b), "libvirt"), Data: map[string][]byte{}}
	for _, name := range file.Sections() {
		text, err := libvirtFile(file, name, known.Groups[name])
		if err != nil {
			return nil, &outcome.Error{Class: outcome.Invalid, Reason: "InvalidConfig", Err: err}
		}
		out.Data[name] = text
	}
	return out, nil
}

// libvirtFile is a file in libvirt's own syntax, see its src/util/virconf.c: an option is a number, a text in quotes,
// or a list of such texts.
func libvirtFile(f *oslo.File, name string, known catalogue.Group) ([]byte, error) {
	var out bytes.Buffer
	for _, option := range f.Options(name) {
		kind, values := known.Options[option], slices.Clone(f.Values(name, option))
		for i, value := range values {
			// A text goes on to the next quote, whatever is before that.
			if strings.ContainsAny(value, "\"\n") {
				return nil, fmt.Errorf("%s: [%s] %s has a quote in its value, which libvirt does not read; take it out",
					fieldLibvirt, name, option)
			}
			values[i] = libvirtValue(kind, value)
		}
		text := strings.Join(values, ", ")
		if kind.Multi {
			text = "[" + text + "]"
		}
		fmt.Fprintf(&out, "%s = %s\n", option, text)
	}
	return out.Bytes(), nil
}

// libvirtValue is one value as libvirt reads it. It knows yes and no as numbers, and a limit as a number or a word.
func libvirtValue(o catalogue.Option, value string) string {
	switch {
	case o.Kind == catalogue.KindInteger:
		return strings.TrimSpace(value)
	case o.Kind == catalogue.KindBoolean:
		yes := slices.Contains([]string{"1", "true", "on", "yes"}, strings.ToLower(strings.TrimSpace(value)))
		return map[bool]string{true: "1", false: "0"}[yes]
	case o.Regex == catalogue.Limit:
		if _, err := strconv.ParseUint(value, 10, 64); err == nil {
			return value
		}
	}
	return `"` + value + `"`
}
