package openstack

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Whose tokens are revoked and whose password is refused is let in by no token that has not ended yet: a session that
// is opened says so. A new password that is right, or the old one when it is taken again, goes on.
func TestRevokedAndRefusedIsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		p := newPool(t, Options{}, c)
		s := open(t, p, c.config("alice"))
		old := s.token()
		c.revoke()
		c.guard(func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		})
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				_, err := s.Do(t.Context(), get)
				wants(t, err, Auth)
			})
		}
		group.Wait()
		_, err := s.renew(t.Context(), old) // whose request was answered late
		wants(t, err, Auth)
		_, err = p.Open(t.Context(), "ns/secret", c.config("alice"))
		wants(t, err, Auth, "Check user")
		c.guard(nil)
		<-time.After(2 * firstDenied)
		if _, err := s.Do(t.Context(), get); err != nil {
			t.Error(err)
		}
	})
}
