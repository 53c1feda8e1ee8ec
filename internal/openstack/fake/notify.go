package fake

import (
	"net/http"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Notification is what a service says after a change.
type Notification struct {
	Exchange, Type string
	Payload        map[string]any
}

// Verbs of notifications. Those of identity are other words than everybody else's.
const (
	created = "create"
	updated = "update"
	deleted = "delete"
)

// tell sends the notification about a request that was answered. The caller holds the lock.
func (c *Cloud) tell(r *http.Request, code int) {
	verb := map[string]string{http.MethodPost: created, http.MethodPut: updated, http.MethodPatch: updated,
		http.MethodDelete: deleted}[r.Method]
	if c.Notify == nil || verb == "" || code >= http.StatusMultipleChoices {
		return
	}
	service, path, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	path = version.ReplaceAllString("/"+path, "")
	for _, k := range c.kinds {
		if k.Service != service {
			continue
		}
		for _, p := range append([]string{k.Path, k.Path + "/{id}"}, k.Paths...) {
			if values, ok := fits(p, path); ok {
				c.notify(k, verb, values)
				return
			}
		}
	}
}

// notify sends the notification about a resource of a kind.
func (c *Cloud) notify(k *d.Kind, verb string, payload map[string]any) {
	if c.Notify == nil || len(k.Events) == 0 {
		return
	}
	exchange, known := map[string]string{"compute": "nova", "network": "neutron", "image": "glance",
		"block-storage": "cinder", "load-balancer": "octavia", "dns": "designate", "orchestration": "heat"}[k.Service]
	kind := k.Events[0] + "." + verb + ".end"
	if k.Service == "identity" {
		exchange, known, kind = "keystone", true, k.Events[0]+"."+verb+"d"
	}
	if known {
		c.Notify(Notification{exchange, kind, payload})
	}
}
