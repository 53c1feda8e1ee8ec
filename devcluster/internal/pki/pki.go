// Package pki issues the certificates and keys that the parts of a cluster know each other by.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// A development cluster must not stop working because it was left alone for a year.
const lifetime = 10 * 365 * 24 * time.Hour

// Authority signs certificates.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	pair        Pair
}

// Pair is a certificate (empty for a bare key) and its private key, PEM encoded.
type Pair struct {
	Certificate, Key []byte
}

// Subject is who a certificate is for.
type Subject struct {
	Name   string
	Groups []string
	Hosts  []string // names and addresses a server is reached by; empty for a client
}

// NewAuthority makes a self-signed authority.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generating key of %s: %w", name, err)
	}
	template, err := newTemplate(Subject{Name: name})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = nil
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("signing %s: %w", name, err)
	}
	pair, err := encode(der, key)
	if err != nil {
		return nil, err
	}
	return parseAuthority(pair)
}

// OpenAuthority reads the authority kept in folder, making it first if there is none.
func OpenAuthority(folder, name string) (*Authority, error) {
	pair, err := Read(folder, "ca")
	if err == nil {
		return parseAuthority(pair)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	authority, err := NewAuthority(name)
	if err != nil {
		return nil, err
	}
	return authority, authority.pair.Write(folder, "ca")
}

// Certificate is the authority's own certificate, PEM encoded.
func (a *Authority) Certificate() []byte { return a.pair.Certificate }

// Issue signs a certificate for subject with a new key.
func (a *Authority) Issue(subject Subject) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("generating key of %s: %w", subject.Name, err)
	}
	template, err := newTemplate(subject)
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("signing certificate of %s: %w", subject.Name, err)
	}
	return encode(der, key)
}

// Ensure returns the pair kept in folder as name, issuing it first if there is none.
func (a *Authority) Ensure(folder, name string, subject Subject) (Pair, error) {
	pair, err := Read(folder, name)
	if !errors.Is(err, os.ErrNotExist) {
		return pair, err
	}
	pair, err = a.Issue(subject)
	if err != nil {
		return Pair{}, err
	}
	return pair, pair.Write(folder, name)
}

// EnsureKey makes a bare signing key in folder as name.key and name.pub, unless it is there.
func EnsureKey(folder, name string) error {
	if _, err := os.Stat(filepath.Join(folder, name+".key")); err == nil {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("generating key %s: %w", name, err)
	}
	pair, err := encode(nil, key)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return fmt.Errorf("encoding key %s: %w", name, err)
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	if err := os.WriteFile(filepath.Join(folder, name+".pub"), block, 0o600); err != nil {
		return fmt.Errorf("writing key %s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(folder, name+".key"), pair.Key, 0o600)
}

// Read returns the pair kept in folder as name.
func Read(folder, name string) (Pair, error) {
	certificate, err := os.ReadFile(filepath.Join(folder, name+".crt"))
	if err != nil {
		return Pair{}, fmt.Errorf("reading certificate %s: %w", name, err)
	}
	key, err := os.ReadFile(filepath.Join(folder, name+".key"))
	if err != nil {
		return Pair{}, fmt.Errorf("reading key %s: %w", name, err)
	}
	return Pair{Certificate: certificate, Key: key}, nil
}

// Write keeps the pair in folder as name.crt and name.key. The certificate comes last: with it the pair is complete.
func (p Pair) Write(folder, name string) error {
	if err := os.WriteFile(filepath.Join(folder, name+".key"), p.Key, 0o600); err != nil {
		return fmt.Errorf("writing key %s: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".crt"), p.Certificate, 0o600); err != nil {
		return fmt.Errorf("writing certificate %s: %w", name, err)
	}
	return nil
}

func parseAuthority(pair Pair) (*Authority, error) {
	loaded, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		return nil, fmt.Errorf("parsing authority: %w", err)
	}
	signer, ok := loaded.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, errors.New("parsing authority: its key cannot sign")
	}
	return &Authority{certificate: loaded.Leaf, key: signer, pair: pair}, nil
}

func newTemplate(subject Subject) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("choosing serial of %s: %w", subject.Name, err)
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: subject.Name, Organization: subject.Groups},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	for _, host := range subject.Hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	if len(subject.Hosts) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	return template, nil
}

func encode(certificate []byte, key *ecdsa.PrivateKey) (Pair, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("encoding key: %w", err)
	}
	return Pair{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}),
	}, nil
}
