package kittest

import (
	"net/http"
	"strings"
)

// discreet fails the play when the operator has listed or watched Secrets with what is in them. Of all Secrets it may
// know that they exist; the content is for those that are referred to, read by name.
func (p *Play) discreet() {
	p.T.Helper()
	for _, x := range p.journal.since(0) {
		if x.manySecrets() && !strings.Contains(x.Accept, "as=PartialObjectMetadata") {
			p.T.Errorf("the operator asked for many Secrets with their content: %s; take metadata, and read what is "+
				"referred to by name", x)
			return
		}
	}
}

// manySecrets tells whether a request is a list or a watch of Secrets, of all namespaces or of one.
func (x *Exchange) manySecrets() bool {
	path, _, _ := strings.Cut(x.Path, "?")
	return !x.Outside && x.Method == http.MethodGet && strings.HasPrefix(path, "/api/v1/") &&
		strings.HasSuffix(path, "/secrets")
}
