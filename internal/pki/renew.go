package pki

import (
	"bytes"
	"crypto/x509"
	"slices"
	"time"
)

// Overlap is how long both an old and a new CA are trusted before and after a certificate changes over: longer than a
// kubelet takes to bring a changed Secret into all pods.
const Overlap = 5 * time.Minute

// sinceKey of a leaf Secret tells when its trust bundle last changed.
const sinceKey = "ca.since"

// renewalTime is when two thirds of a certificate's life are over.
func renewalTime(c *x509.Certificate) time.Time {
	return c.NotBefore.Add(c.NotAfter.Sub(c.NotBefore) / 3 * 2)
}

// renewCA returns the CA to keep or to write, and when to look at it again.
func renewCA(name string, have map[string][]byte, now time.Time) (Pair, time.Duration, error) {
	old := Pair{Cert: have[CertKey], Key: have[KeyKey], CA: have[CertKey]}
	cert, _, err := old.Parse()
	switch {
	case err != nil || !cert.IsCA:
		p, err := NewCA(name, now)
		return p, CALifetime / 3 * 2, err
	case now.After(renewalTime(cert)):
		p, err := RenewCA(old, now)
		return p, CALifetime / 3 * 2, err
	}
	return old, renewalTime(cert).Sub(now), nil
}

// renewLeaf returns the content of a leaf Secret and when to look at it again. A changed CA changes it in three
// steps, Overlap apart, so that at no time two members meet of which one does not trust the other: first the new CA is
// trusted beside the old one, then the certificate is the new CA's, then the old CA is dropped. A name that comes
// meanwhile waits for the second step: nobody has reached the holder by it yet.
func renewLeaf(ca Pair, r Request, have map[string][]byte, now time.Time) (map[string][]byte, time.Duration, error) {
	old := Pair{Cert: have[CertKey], Key: have[KeyKey], CA: have[CAKey]}
	cert := valid(old, now)
	if cert == nil {
		return reissue(ca, r, nil, now)
	}
	parent, _, err := ca.Parse()
	if err != nil {
		return nil, 0, err
	}
	since, err := time.Parse(time.RFC3339, string(have[sinceKey]))
	settled := err != nil || !now.Before(since.Add(Overlap))
	signed, fits := cert.CheckSignatureFrom(parent) == nil, good(cert, r)
	switch {
	case !bytes.Contains(old.CA, ca.roots()):
		return content(old, joinPEM(ca.roots(), old.CA), now), Overlap, nil
	case signed && !fits:
		return reissue(ca, r, old.CA, now)
	case !settled:
		return have, since.Add(Overlap).Sub(now), nil
	case !signed:
		return reissue(ca, r, old.CA, now)
	case !bytes.Equal(old.CA, ca.roots()):
		return content(old, ca.roots(), now), renewalTime(cert).Sub(now), nil
	case !now.Before(renewalTime(cert)):
		return reissue(ca, r, old.CA, now)
	}
	return have, renewalTime(cert).Sub(now), nil
}

// good tells whether a certificate has the requested names and no others.
func good(cert *x509.Certificate, r Request) bool {
	return slices.Equal(slices.Sorted(slices.Values(r.Names)), names(cert)) && cert.Subject.CommonName == r.CommonName
}

// valid returns the certificate when it is valid now and trusted by its own bundle.
func valid(p Pair, now time.Time) *x509.Certificate {
	cert, _, err := p.Parse()
	if err != nil {
		return nil
	}
	roots, err := Pool(p.CA)
	if err != nil {
		return nil
	}
	between, err := Pool(p.Cert)
	if err != nil {
		return nil
	}
	_, err = cert.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return nil
	}
	return cert
}

func names(c *x509.Certificate) []string {
	out := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		out = append(out, ip.String())
	}
	slices.Sort(out)
	return out
}

func reissue(ca Pair, r Request, trust []byte, now time.Time) (map[string][]byte, time.Duration, error) {
	p, err := Issue(ca, r, now)
	if err != nil {
		return nil, 0, err
	}
	cert, _, err := p.Parse()
	if err != nil {
		return nil, 0, err
	}
	next := renewalTime(cert).Sub(now)
	if trust != nil && !bytes.Equal(trust, p.CA) {
		return content(p, trust, now), Overlap, nil
	}
	return content(p, p.CA, now), next, nil
}

func content(p Pair, trust []byte, since time.Time) map[string][]byte {
	return map[string][]byte{
		CertKey: p.Cert, KeyKey: p.Key, CAKey: trust,
		sinceKey: []byte(since.UTC().Format(time.RFC3339)),
	}
}

func joinPEM(a, b []byte) []byte {
	return append(append(bytes.TrimRight(slices.Clone(a), "\n"), '\n'), b...)
}
