package resources_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"
)

// A namespace with more objects than its cloud can make in minutes does not keep the one object of another waiting.
func TestNamespacesDoNotWaitForEachOther(t *testing.T) {
	const many = 400
	s := stage(t, nil, namespace("default"), namespace("small"), credentials("default"), one("ClusterCloud", `""`,
		"default", "secretRef: {name: cloud, namespace: default}, namespaceSelector: {}, "+
			"limits: {requestsPerSecond: 2, parallel: 1}"),
		one("Project", "default", "first", "resource: {}"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		for i := range many {
			declare(p, one("Project", "default", fmt.Sprint("p", i), "resource: {}"))
		}
		declare(p, one("Project", "small", "one", "resource: {}"))
		begin, made := time.Now(), 0
		p.Until(time.Hour, "the one object of its namespace", func() bool {
			all := cloudOf(p).All("Project")
			made = len(all)
			return slices.ContainsFunc(all, func(row map[string]any) bool { return row["name"] == "one" })
		})
		took := time.Since(begin)
		if took > 10*time.Second || made > many/2 {
			t.Errorf("it was made after %s, when %d projects were", took, made)
		}
		p.Until(time.Hour, "all others", func() bool { return len(cloudOf(p).All("Project")) == many+2 })
		t.Logf("one object was made after %s, %d of another namespace after %s", took, many, time.Since(begin))
	})
}
