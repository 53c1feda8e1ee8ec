package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
)

// maxBody is the largest order that is read.
const maxBody = 1 << 20

// Refusal is an answer other than success, with a sentence for people.
type Refusal struct {
	// Code is an HTTP status.
	Code int `json:"-"`
	// Message says why, and what to do.
	Message string `json:"message"`
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// Conflict refuses an order that contradicts what the agent knows.
func Conflict(message string) error { return &Refusal{Code: http.StatusConflict, Message: message} }

// Unready refuses what cannot be done now and may be possible later.
func Unready(message string) error {
	return &Refusal{Code: http.StatusServiceUnavailable, Message: message}
}

// Nothing is the body of orders and answers without content.
type Nothing struct{}

// Handle serves a pattern such as "POST /v1/start" to the given roles: f gets the decoded body and returns the answer.
// Bodies are never logged, they may hold passwords.
func Handle[In, Out any](mux *http.ServeMux, pattern string,
	f func(context.Context, In) (Out, error), roles ...string) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if role := roleOf(r); !slices.Contains(roles, role) {
			answer(w, http.StatusForbidden, Refusal{Message: "a peer with role " + role + " may not do this"})
			return
		}
		var in In
		if r.Body != nil && r.ContentLength != 0 {
			if err := json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(&in); err != nil {
				answer(w, http.StatusBadRequest, Refusal{Message: "the body is no JSON of the expected form"})
				return
			}
		}
		out, err := f(r.Context(), in)
		if err == nil {
			answer(w, http.StatusOK, out)
			return
		}
		refusal, ok := errors.AsType[*Refusal](err)
		if !ok {
			refusal = &Refusal{Code: http.StatusInternalServerError, Message: err.Error()}
		}
		if r.Method != http.MethodGet {
			slog.Warn("refused", "order", pattern, "reason", refusal.Message)
		}
		answer(w, refusal.Code, refusal)
	})
}

func roleOf(r *http.Request) string {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return ""
	}
	return r.TLS.PeerCertificates[0].Subject.CommonName
}

func answer(w http.ResponseWriter, code int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		http.Error(w, "encoding the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(b)
}

// Lines returns s in lines without empty ones.
func Lines(s string) []string {
	return slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
}
