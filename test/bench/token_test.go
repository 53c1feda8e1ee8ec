//go:build bench

package bench

import (
	"strconv"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	credentials = 200
	lifetime    = time.Minute
)

// Each credential asks for a token at most twice in the life of one, however much is asked for with it.
func TestTokens(t *testing.T) {
	w, s := newWorld(t), newSky(t)
	s.Life = lifetime
	o := w.operate()
	var objects []client.Object
	for i := range credentials {
		ns := "tenant-" + strconv.Itoa(i)
		w.make(namespace(ns), w.secret(ns, map[string]string{"clouds.yaml": s.CloudsYAML()}))
		objects = append(objects, w.object("Cloud", ns, "default", `{"secretRef": {"name": "cloud"}, "syncPeriod": "10s"}`),
			w.object("Project", ns, ns, `{"resource": {"description": "One"}}`))
	}
	w.make(objects...)
	w.ready(2*time.Minute, "Cloud", "Project")
	before := s.Logins()
	asked := rate(t.Context(), 2*lifetime, func() float64 { return float64(s.asked.Load()) })
	figure(t, "credentials", credentials, "credentials", 0)
	figure(t, "token_requests", asked, "requests/s", 0)
	figure(t, "authentications", float64(s.Logins()-before)/credentials/2, "authentications/credential/lifetime", 2)
	figure(t, "token_memory", o.memory(), "MiB", 0)
}
