package pki

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCertificatesAreKeptAndTrusted(t *testing.T) {
	folder := t.TempDir()
	authority, err := OpenAuthority(folder, "test")
	if err != nil {
		t.Fatal(err)
	}
	subject := Subject{Name: "api", Groups: []string{"g"}, Hosts: []string{"localhost", "127.0.0.1"}}
	pair, err := authority.Ensure(folder, "api", subject)
	if err != nil {
		t.Fatal(err)
	}
	again, err := OpenAuthority(folder, "test")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := again.Ensure(folder, "api", subject)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pair, kept); diff != "" {
		t.Errorf("a kept certificate changed:\n%s", diff)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(again.Certificate())
	certificate := parse(t, kept.Certificate)
	for _, host := range subject.Hosts {
		if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("certificate is not trusted for %s: %v", host, err)
		}
	}
	if diff := cmp.Diff(subject.Groups, certificate.Subject.Organization); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

func TestClientCertificateServesNothing(t *testing.T) {
	authority, err := NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue(Subject{Name: "client"})
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.Certificate())
	usages := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	_, err = parse(t, pair.Certificate).Verify(x509.VerifyOptions{Roots: roots, KeyUsages: usages})
	if err == nil {
		t.Error("a client's certificate may serve")
	}
}

func TestKeysAreForTheirOwnerOnly(t *testing.T) {
	folder := t.TempDir()
	authority, err := OpenAuthority(folder, "test")
	if err != nil {
		t.Fatal(err)
	}
	client, err := authority.Ensure(folder, "client", Subject{Name: "client"})
	if err != nil {
		t.Fatal(err)
	}
	if err := EnsureKey(folder, "service-account"); err != nil {
		t.Fatal(err)
	}
	access := Access{Name: "test", Server: "https://127.0.0.1:1", Authority: authority.Certificate(), Client: client}
	if err := access.WriteKubeconfig(filepath.Join(folder, "kubeconfig")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ca.key", "client.key", "service-account.key", "kubeconfig"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s is %o", name, info.Mode().Perm())
		}
	}
}

func parse(t *testing.T, encoded []byte) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(encoded)
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}
