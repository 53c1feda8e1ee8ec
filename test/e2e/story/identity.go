package story

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Identity asks a Keystone for tokens from outside of the cluster, as users do.
type Identity struct {
	cloud cloud
	http  *http.Client
}

// cloud is the part of clouds.yaml that a password needs.
type cloud struct {
	Auth struct {
		URL           string `json:"auth_url"`
		Username      string `json:"username"`
		Password      string `json:"password"`
		Project       string `json:"project_name"`
		UserDomain    string `json:"user_domain_name"`
		ProjectDomain string `json:"project_domain_name"`
	} `json:"auth"`
}

// Identity reads clouds.yaml and ca.crt from a Secret.
func (w *World) Identity(secret client.ObjectKey) *Identity {
	w.Helper()
	s := &corev1.Secret{}
	if err := w.Get(w.Context(), secret, s); err != nil {
		w.Fatalf("reading clouds.yaml: %v", err)
	}
	var file struct {
		Clouds map[string]cloud `json:"clouds"`
	}
	if err := yaml.Unmarshal(s.Data["clouds.yaml"], &file); err != nil {
		w.Fatalf("reading clouds.yaml of Secret %s: %v", secret, err)
	}
	users, ok := file.Clouds["default"]
	if !ok {
		w.Fatalf("clouds.yaml of Secret %s has no cloud default", secret)
	}
	return &Identity{cloud: users, http: &http.Client{Transport: transport(s.Data["ca.crt"])}}
}

// transport trusts ca and makes a connection for each request, because a kept one would hide that others fail.
func transport(ca []byte) *http.Transport {
	t := &http.Transport{DisableKeepAlives: true, TLSHandshakeTimeout: 30 * time.Second}
	if len(ca) > 0 {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(ca)
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return t
}

// With is the same user with another password.
func (i *Identity) With(password string) *Identity {
	other := *i
	other.cloud.Auth.Password = password
	return &other
}

// As is another user of the same cloud.
func (i *Identity) As(username, project, password string) *Identity {
	other := i.With(password)
	other.cloud.Auth.Username, other.cloud.Auth.Project = username, project
	return other
}

// Token asks for a token by password and returns it.
func (i *Identity) Token(ctx context.Context) (string, error) {
	a := i.cloud.Auth
	domain := func(name string) map[string]any { return map[string]any{"name": name} }
	body, err := json.Marshal(map[string]any{"auth": map[string]any{
		"identity": map[string]any{"methods": []string{"password"}, "password": map[string]any{"user": map[string]any{
			"name": a.Username, "password": a.Password, "domain": domain(a.UserDomain)}}},
		"scope": map[string]any{"project": map[string]any{"name": a.Project, "domain": domain(a.ProjectDomain)}},
	}})
	if err != nil {
		return "", err
	}
	response, err := i.send(ctx, http.MethodPost, bytes.NewReader(body), nil, http.StatusCreated)
	if err != nil {
		return "", fmt.Errorf("asking for a token: %w", err)
	}
	return response.Get("X-Subject-Token"), nil
}

// Validate asks whether a token is good, with itself as the proof of who asks.
func (i *Identity) Validate(ctx context.Context, token string) error {
	headers := map[string]string{"X-Auth-Token": token, "X-Subject-Token": token}
	if _, err := i.send(ctx, http.MethodGet, nil, headers, http.StatusOK); err != nil {
		return fmt.Errorf("validating a token: %w", err)
	}
	return nil
}

// Mix asks like the users of a cloud do: of five requests one is for a token, which costs the processor a hash of the
// password, and four validate one.
func (i *Identity) Mix(token string) func(context.Context) error {
	var n atomic.Int64
	return func(ctx context.Context) error {
		if n.Add(1)%5 != 0 {
			return i.Validate(ctx, token)
		}
		_, err := i.Token(ctx)
		return err
	}
}

// Page is what a URL answers to a user who knows the cloud's authority.
func (i *Identity) Page(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := i.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("answer is %s: %s", response.Status, text)
	}
	return string(text), err
}

// Get asks a service of the cloud for something, with a token.
func (i *Identity) Get(ctx context.Context, url, token string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("X-Auth-Token", token)
	response, err := i.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return nil
}

// Serial is the serial number of the certificate that the API shows.
func (i *Identity) Serial(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, i.cloud.Auth.URL, nil)
	if err != nil {
		return "", err
	}
	response, err := i.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.TLS == nil {
		return "", fmt.Errorf("%s is not encrypted", i.cloud.Auth.URL)
	}
	return response.TLS.PeerCertificates[0].SerialNumber.String(), nil
}

func (i *Identity) send(ctx context.Context, method string, body io.Reader, headers map[string]string,
	want int) (http.Header, error) {
	url := strings.TrimSuffix(i.cloud.Auth.URL, "/")
	if !strings.HasSuffix(url, "/v3") {
		url += "/v3"
	}
	request, err := http.NewRequestWithContext(ctx, method, url+"/auth/tokens", body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := i.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 2000))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != want {
		return nil, fmt.Errorf("answer is %s: %s", response.Status, text)
	}
	return response.Header, nil
}
