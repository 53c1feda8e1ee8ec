package fake

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// The project and the user of the credentials.
const (
	Project = "11111111111111111111111111111111"
	User    = "22222222222222222222222222222222"
)

func (c *Cloud) login(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || !bytes.Contains(raw, []byte(strconv.Quote(c.Password))) {
		refuse(w, http.StatusUnauthorized, "The request you have made requires authentication.")
		return
	}
	c.logins++
	token := "token-" + strconv.Itoa(c.logins)
	now := time.Now().UTC()
	c.tokens[token] = now.Add(c.Life)
	w.Header().Set("X-Subject-Token", token)
	domain := map[string]any{"id": "default", "name": "Default"}
	const layout = "2006-01-02T15:04:05.000000Z"
	answer{http.StatusCreated, map[string]any{"token": map[string]any{
		"methods": []string{"password"}, "issued_at": now.Format(layout), "expires_at": now.Add(c.Life).Format(layout),
		"user":    map[string]any{"id": User, "name": "robot", "domain": domain},
		"project": map[string]any{"id": Project, "name": "robot", "domain": domain},
		"roles":   []any{map[string]any{"id": "admin", "name": "admin"}},
		"catalog": c.catalog(),
	}}}.write(w)
}

func (c *Cloud) catalog() []any {
	types := map[string]bool{"identity": true}
	for _, k := range c.kinds {
		types[k.Service] = !slices.Contains(c.Missing, k.Service)
	}
	var out []any
	maps.DeleteFunc(types, func(_ string, there bool) bool { return !there })
	for _, t := range slices.Sorted(maps.Keys(types)) {
		out = append(out, map[string]any{"type": t, "name": t, "id": t, "endpoints": []any{map[string]any{
			"id": t, "interface": "public", "region": "RegionOne", "region_id": "RegionOne", "url": "http://" + c.Host + "/" + t,
		}}})
	}
	return out
}

func (c *Cloud) known(r *http.Request) bool {
	return time.Now().Before(c.tokens[r.Header.Get("X-Auth-Token")])
}

// answer is a response before it is written.
type answer struct {
	code int
	body any
}

func (a answer) write(w http.ResponseWriter) {
	if a.body == nil {
		w.WriteHeader(a.code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.code)
	_ = json.NewEncoder(w).Encode(a.body)
}

func failure(code int, message string) answer {
	fault := map[string]any{"code": code, "title": http.StatusText(code), "message": message}
	return answer{code, map[string]any{"error": fault}}
}

func refuse(w http.ResponseWriter, code int, message string) { failure(code, message).write(w) }
