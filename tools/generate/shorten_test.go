package main

import (
	"strings"
	"testing"
)

const long = `---
spec:
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

// What our own types say stays, also of fields that are called description.
func TestShortened(t *testing.T) {
	short, err := shortened([]byte(long))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(long) {
		if !strings.Contains(line, "description: borrowed") {
			want = append(want, line)
		}
	}
	if got := string(short); got != strings.Join(want, "") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, ""))
	}
	again, err := shortened(short)
	if err != nil || string(again) != string(short) {
		t.Errorf("the second time it is\n%s (%v)", again, err)
	}
}
