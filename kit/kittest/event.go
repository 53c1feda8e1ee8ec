package kittest

import (
	"net/http"
	"strings"

	eventsv1 "k8s.io/api/events/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// Events are those that the operator has sent about an object, `Kind/name`, as `Type Reason: note`. In a bubble, in
// which time stands still, the server does not keep all of them: they are named by the time.
func (p *Play) Events(ref string) (out []string) {
	for _, x := range p.journal.since(0) {
		path, _, _ := strings.Cut(x.Path, "?")
		if x.Method != http.MethodPost || !strings.HasSuffix(path, "/events") {
			continue
		}
		obj, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode(x.Body, nil, nil)
		if e, ok := obj.(*eventsv1.Event); ok && err == nil && e.Regarding.Kind+"/"+e.Regarding.Name == ref {
			out = append(out, e.Type+" "+e.Reason+": "+e.Note)
		}
	}
	return out
}
