// Package token asks Keystone for one, as the administrator.
package token

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Issue asks once. The certificate is not looked at: what is measured is when there is an answer.
func Issue(ctx context.Context, keystone, password string) error {
	type object = map[string]any
	domain := object{"id": "default"}
	body, err := json.Marshal(object{"auth": object{
		"identity": object{"methods": []string{"password"},
			"password": object{"user": object{"name": "admin", "domain": domain, "password": password}}},
		"scope": object{"project": object{"name": "admin", "domain": domain}},
	}})
	if err != nil {
		return fmt.Errorf("asking for a token: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, keystone+"/auth/tokens", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("asking for a token: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	// An address with nobody behind it may not answer at all.
	dialer := &net.Dialer{Timeout: time.Second}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("asking for a token: %w", err)
	}
	if err := res.Body.Close(); err != nil {
		return fmt.Errorf("asking for a token: %w", err)
	}
	if res.StatusCode != http.StatusCreated || res.Header.Get("X-Subject-Token") == "" {
		return fmt.Errorf("asking for a token: Keystone answers %s", res.Status)
	}
	return nil
}
