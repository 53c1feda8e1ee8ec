//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"stackwright.dev/stackwright/test/e2e/story"
)

// A person who ran up gets a token, by the client in the pod and by a client of their own.
func TestToken(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	users := w.Users(cp)

	out, err := w.Cluster.Stackwright(t.Context(), "openstack", "token", "issue", "-f", "value", "-c", "id")
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(out)
	if err := users.Validate(t.Context(), token); err != nil {
		t.Errorf("a token of the client in the pod is not good outside: %v", err)
	}
	mine, err := users.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := users.Validate(t.Context(), mine); err != nil {
		t.Error(err)
	}
	if err := users.Validate(t.Context(), mine[:len(mine)-8]+"AAAAAAAA"); err == nil {
		t.Error("a forged token is taken for good")
	}

	// What fails there costs the first request of each process seconds on a busy machine.
	log, err := w.Cluster.Stackwright(t.Context(), "logs", "keystone", "--tail=-1")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log, "reading the policies before the first request") {
		t.Errorf("the policies cannot be read before the first request:\n%s", log)
	}
}

// The catalog has the services with endpoints that answer.
func TestCatalog(t *testing.T) {
	w := story.Start(t)
	w.Cloud()
	out, err := w.Cluster.Stackwright(t.Context(), "openstack", "catalog", "list", "-f", "json")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"keystone", "identity", "public", "internal"} {
		if !strings.Contains(out, want) {
			t.Errorf("the catalog lacks %s:\n%s", want, out)
		}
	}
}
