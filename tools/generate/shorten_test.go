package main

import (
	"slices"
	"strings"
	"testing"
)

const long = `---
spec:
  names:
    kind: KIND
  versions:
  - schema:
      openAPIV3Schema:
        description: kind
        properties:
          spec:
            description: spec
            properties:
              description:
                description: a field of this name
                type: string
              expose:
                description: of the service
                properties:
                  type:
                    description: repeated
                    type: string
                type: object
              resources:
                description: of the containers
                properties:
                  claims:
                    type: unused
                  limits:
                    type: object
                type: object
              tolerations:
                description: of the pods
                items:
                  description: borrowed
                  properties:
                    description:
                      description: borrowed
                      type: string
                  type: object
                type: array
            type: object
        type: object
`

// What our own types say stays, also of fields that are called description; a control plane repeats it, and need not.
func TestShortened(t *testing.T) {
	for kind, without := range map[string][]string{
		"Keystone":              {"description: borrowed", "claims:", "type: unused"},
		"OpenStackControlPlane": {"description: borrowed", "claims:", "type: unused", "description: repeated"},
	} {
		crd := strings.Replace(long, "KIND", kind, 1)
		short, err := shortened([]byte(crd))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(crd) {
			if !slices.ContainsFunc(without, func(s string) bool { return strings.Contains(line, s) }) {
				want = append(want, line)
			}
		}
		if got := string(short); got != strings.Join(want, "") {
			t.Errorf("%s is\n%s\nwant\n%s", kind, got, strings.Join(want, ""))
		}
		again, err := shortened(short)
		if err != nil || string(again) != string(short) {
			t.Errorf("%s is the second time\n%s (%v)", kind, again, err)
		}
	}
}
