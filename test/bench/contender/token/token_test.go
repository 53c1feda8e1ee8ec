package token_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"stackwright.dev/stackwright/test/bench/contender/token"
)

// Only who has a token has been answered.
func TestIssue(t *testing.T) {
	for name, c := range map[string]struct {
		code  int
		token string
		good  bool
	}{
		"a token":        {http.StatusCreated, "abc", true},
		"none":           {http.StatusCreated, "", false},
		"a refusal":      {http.StatusUnauthorized, "", false},
		"not yet served": {http.StatusServiceUnavailable, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var body struct {
					Auth struct {
						Identity struct {
							Password struct {
								User struct{ Name, Password string }
							}
						}
					}
				}
				err := json.NewDecoder(r.Body).Decode(&body)
				if u := body.Auth.Identity.Password.User; err != nil || r.URL.Path != "/v3/auth/tokens" || u.Name != "admin" ||
					u.Password != "word" {
					t.Errorf("Keystone is asked %s with %v (%v)", r.URL.Path, u, err)
				}
				w.Header().Set("X-Subject-Token", c.token)
				w.WriteHeader(c.code)
			}))
			defer server.Close()
			if err := token.Issue(t.Context(), server.URL+"/v3", "word"); (err == nil) != c.good {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
