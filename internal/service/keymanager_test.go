package service

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/service/oslo"
)

// A service knows the key manager by the authority by which it knows Keystone, and by none without TLS.
func TestKeyManagerIsKnownAsKeystoneIs(t *testing.T) {
	const found = "barbican_endpoint_type = internal\nbarbican_region_name = north\nsend_service_user_token = true\n"
	for name, c := range map[string]struct {
		login map[string]string
		want  string
	}{
		"with TLS": {map[string]string{"auth_url": "https://id:5000/v3", "cafile": "/ca.crt"},
			"[barbican]\nauth_endpoint = https://id:5000/v3\n" + found + "verify_ssl_path = /ca.crt\n"},
		"without": {map[string]string{"auth_url": "http://id:5000/v3"},
			"[barbican]\nauth_endpoint = http://id:5000/v3\n" + found},
	} {
		t.Run(name, func(t *testing.T) {
			f := &oslo.File{}
			for option, value := range c.login {
				f.Set(KeyUser, option, value)
			}
			keyManager(f, "north")
			if diff := cmp.Diff(c.want, string(f.Only("barbican").Bytes())); diff != "" {
				t.Errorf("the section differs (-want +got):\n%s", diff)
			}
		})
	}
}
