// Package pki is the internal certificate authority: plain functions that make keys and certificates, and kit steps
// that keep them in Secrets and renew them in time. All keys are ECDSA P-256.
package pki

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"slices"
	"strings"
	"time"
)

// Keys of a Secret that holds a certificate; those of a CA Secret hold the CA's own.
const (
	CertKey = "tls.crt"
	KeyKey  = "tls.key"
	CAKey   = "ca.crt"
)

// Lifetimes of what this package signs. A CA is renewed with the key it has, so that what it signed stays valid.
const (
	CALifetime   = 10 * 365 * 24 * time.Hour
	LeafLifetime = 90 * 24 * time.Hour
)

// skew is how far certificates reach into the past, for machines whose clocks differ.
const skew = 10 * time.Minute

// Pair is a certificate with its key and the certificates that a peer has to trust, all PEM.
type Pair struct {
	// Cert is the certificate, followed by intermediate ones.
	Cert []byte
	// Key is the private key.
	Key []byte
	// CA has the roots.
	CA []byte
}

// Request says what a certificate is for.
type Request struct {
	// CommonName of the subject. The agents read a peer's role from it.
	CommonName string
	// Names are the DNS names and IP addresses that the certificate is valid for.
	Names []string
	// Lifetime of the certificate; LeafLifetime when zero. It never outlives the CA.
	Lifetime time.Duration
}

// NewCA makes a self-signed certificate authority.
func NewCA(name string, now time.Time) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("generating the key of CA %s: %w", name, err)
	}
	return selfSign(name, key, now)
}

// RenewCA signs a CA's certificate anew with the key and the subject it has.
func RenewCA(ca Pair, now time.Time) (Pair, error) {
	cert, key, err := ca.Parse()
	if err != nil {
		return Pair{}, err
	}
	return selfSign(cert.Subject.CommonName, key, now)
}

func selfSign(name string, key crypto.Signer, now time.Time) (Pair, error) {
	t, err := template(Request{CommonName: name, Lifetime: CALifetime}, now)
	if err != nil {
		return Pair{}, err
	}
	t.IsCA, t.BasicConstraintsValid = true, true
	t.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = nil
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return Pair{}, fmt.Errorf("signing CA %s: %w", name, err)
	}
	cert := encodeCert(der)
	k, err := encodeKey(key)
	return Pair{Cert: cert, Key: k, CA: cert}, err
}

// Issue signs a certificate for servers and clients with a new key.
func Issue(ca Pair, r Request, now time.Time) (Pair, error) {
	parent, signer, err := ca.Parse()
	if err != nil {
		return Pair{}, fmt.Errorf("reading the CA for %s: %w", r.CommonName, err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("generating the key of %s: %w", r.CommonName, err)
	}
	t, err := template(r, now)
	if err != nil {
		return Pair{}, err
	}
	if t.NotAfter.After(parent.NotAfter) {
		t.NotAfter = parent.NotAfter
	}
	der, err := x509.CreateCertificate(rand.Reader, t, parent, key.Public(), signer)
	if err != nil {
		return Pair{}, fmt.Errorf("signing the certificate of %s: %w", r.CommonName, err)
	}
	cert := encodeCert(der)
	if !bytes.Equal(parent.RawIssuer, parent.RawSubject) {
		cert = append(cert, ca.Cert...)
	}
	k, err := encodeKey(key)
	return Pair{Cert: cert, Key: k, CA: ca.roots()}, err
}

func template(r Request, now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("drawing a serial number: %w", err)
	}
	life := r.Lifetime
	if life == 0 {
		life = LeafLifetime
	}
	t := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: r.CommonName},
		NotBefore:    now.Add(-skew),
		NotAfter:     now.Add(life),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, n := range r.Names {
		if ip := net.ParseIP(n); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, n)
		}
	}
	return t, nil
}

// Parse returns the first certificate and the key, which must belong together.
func (p Pair) Parse() (*x509.Certificate, crypto.Signer, error) {
	certs, err := Certificates(p.Cert)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", CertKey, err)
	}
	key, err := parseKey(p.Key)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", KeyKey, err)
	}
	pub, ok := key.Public().(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !pub.Equal(certs[0].PublicKey) {
		return nil, nil, fmt.Errorf("%s does not belong to the certificate in %s", KeyKey, CertKey)
	}
	return certs[0], key, nil
}

// roots are what peers of a certificate signed by this CA have to trust.
func (p Pair) roots() []byte {
	if len(p.CA) > 0 {
		return p.CA
	}
	return p.Cert
}

// Certificates parses PEM certificates, at least one.
func Certificates(data []byte) ([]*x509.Certificate, error) {
	var out []*x509.Certificate
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("parsing a certificate: %w", err)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, errors.New("no PEM certificate found; it starts with -----BEGIN CERTIFICATE-----")
	}
	return out, nil
}

// Bundle joins PEM certificates, each once and in their order. What is no certificate is left out.
func Bundle(parts ...[]byte) []byte {
	var out []byte
	for _, part := range parts {
		for block, rest := pem.Decode(part); block != nil; block, rest = pem.Decode(rest) {
			if text := encodeCert(block.Bytes); block.Type == "CERTIFICATE" && !bytes.Contains(out, text) {
				out = append(out, text...)
			}
		}
	}
	return out
}

// Pool returns a pool of PEM certificates, at least one.
func Pool(data []byte) (*x509.CertPool, error) {
	certs, err := Certificates(data)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	for _, c := range certs {
		pool.AddCert(c)
	}
	return pool, nil
}

// Trusts tells whether one of these authorities, PEM, has signed a certificate, or one of those that follow it, each of
// which signed the one before. Names and times are not looked at.
func Trusts(authorities, chain []byte) bool {
	roots, err := Certificates(authorities)
	if err != nil {
		return false
	}
	certs, err := Certificates(chain)
	if err != nil {
		return false
	}
	for i, c := range certs {
		signed := func(r *x509.Certificate) bool { return r.Equal(c) || c.CheckSignatureFrom(r) == nil }
		if slices.ContainsFunc(roots, signed) {
			return true
		}
		if i+1 == len(certs) || c.CheckSignatureFrom(certs[i+1]) != nil {
			return false
		}
	}
	return false
}

// Roots are the authorities, PEM, of what the content of a Secret shows: its ca.crt, or, of an authority that has none,
// its own certificate.
func Roots(content map[string][]byte) []byte {
	if len(content[CAKey]) > 0 {
		return content[CAKey]
	}
	if certs, err := Certificates(content[CertKey]); err == nil && certs[0].IsCA {
		return content[CertKey]
	}
	return nil
}

func parseKey(data []byte) (crypto.Signer, error) {
	// Other blocks may come first, such as the EC PARAMETERS of openssl ecparam -genkey.
	block, rest := pem.Decode(data)
	for block != nil && !strings.HasSuffix(block.Type, "PRIVATE KEY") {
		block, rest = pem.Decode(rest)
	}
	if block == nil {
		return nil, errors.New("no PEM private key found; it starts with -----BEGIN PRIVATE KEY-----")
	}
	for _, parse := range []func([]byte) (any, error){
		x509.ParsePKCS8PrivateKey,
		func(b []byte) (any, error) { return x509.ParseECPrivateKey(b) },
		func(b []byte) (any, error) { return x509.ParsePKCS1PrivateKey(b) },
	} {
		if k, err := parse(block.Bytes); err == nil {
			if s, ok := k.(crypto.Signer); ok {
				return s, nil
			}
		}
	}
	return nil, errors.New("the private key is neither PKCS #8, EC nor RSA, or has a passphrase")
}

func encodeCert(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func encodeKey(key crypto.Signer) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding a private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
