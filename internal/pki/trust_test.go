package pki

import (
	"bytes"
	"crypto/rand"
	"crypto/x509"
	"slices"
	"testing"
	"time"
)

// between is an authority that another one has signed.
func between(t *testing.T, root Pair) Pair {
	t.Helper()
	parent, signer, err := root.Parse()
	if err != nil {
		t.Fatal(err)
	}
	own := must[Pair](t)(NewCA("between", epoch))
	cert, key, err := own.Parse()
	if err != nil {
		t.Fatal(err)
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, cert, parent, key.Public(), signer))
	return Pair{Cert: encodeCert(der), Key: own.Key}
}

// A client knows a server by an authority of its own, by way of others in between, or by the certificate itself.
func TestTrusts(t *testing.T) {
	root, other := must[Pair](t)(NewCA("root", epoch)), must[Pair](t)(NewCA("other", epoch))
	leaf := must[Pair](t)(Issue(root, Request{CommonName: "leaf"}, epoch))
	middle := between(t, root)
	below := must[Pair](t)(Issue(middle, Request{CommonName: "leaf"}, epoch))
	renewed := must[Pair](t)(RenewCA(root, epoch.Add(time.Hour)))
	strange := must[Pair](t)(Issue(other, Request{CommonName: "leaf"}, epoch))
	for name, c := range map[string]struct {
		authorities, chain []byte
		want               bool
	}{
		"its own":              {root.Cert, leaf.Cert, true},
		"among others":         {slices.Concat(other.Cert, root.Cert), leaf.Cert, true},
		"made anew":            {renewed.Cert, leaf.Cert, true},
		"the certificate":      {leaf.Cert, leaf.Cert, true},
		"by way of one":        {root.Cert, below.Cert, true},
		"one in between":       {middle.Cert, below.Cert, true},
		"no way":               {root.Cert, bytes.TrimSuffix(below.Cert, middle.Cert), false},
		"another":              {other.Cert, leaf.Cert, false},
		"another in the chain": {other.Cert, slices.Concat(leaf.Cert, other.Cert), false},
		"beside another":       {root.Cert, slices.Concat(strange.Cert, root.Cert), false},
		"none":                 {nil, leaf.Cert, false},
		"nothing":              {root.Cert, nil, false},
	} {
		if got := Trusts(c.authorities, c.chain); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// An authority is known by its own certificate, where its Secret says nothing else; others are not.
func TestRoots(t *testing.T) {
	ca := must[Pair](t)(NewCA("root", epoch))
	leaf := must[Pair](t)(Issue(ca, Request{CommonName: "leaf"}, epoch))
	for name, c := range map[string]struct {
		content map[string][]byte
		want    []byte
	}{
		"what it says":      {keys(leaf), ca.Cert},
		"an authority":      {with(ca, CAKey, ""), ca.Cert},
		"somebody else":     {with(leaf, CAKey, ""), nil},
		"no certificate":    {map[string][]byte{CertKey: []byte("x")}, nil},
		"nothing in it yet": {nil, nil},
	} {
		if got := Roots(c.content); !slices.Equal(got, c.want) {
			t.Errorf("%s: it is known by %q", name, got)
		}
	}
}
