// Package proof shows that a cloud works: it has the objects of a server that answers from outside, and asks it.
package proof

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

//go:embed demo.yaml
var demo string

// Namespace of the objects.
const Namespace = "demo"

// User is the name of the user who may use the project, and of the Secret with the password, which is KeyPassword.
const (
	User        = "visitor"
	KeyPassword = "password"
)

// Place is where the server is to answer.
type Place struct {
	// Namespace and Secret have the clouds.yaml of the cloud's administrator.
	Namespace, Secret string
	// Password of the user, of letters and digits.
	Password string
	// Image of the container that has the server's disk.
	Image string
	// Outside is the network from which the server is asked, and Gateway the address in it of whoever asks.
	Outside netip.Prefix
	Gateway netip.Addr
	// Volumes tells that the cloud has some: the server gets one and writes to it.
	Volumes bool
}

// Says is how many lines about itself the server writes on its console.
func (p Place) Says() int {
	if p.Volumes {
		return 2
	}
	return 1
}

// Floating is the server's address in the network outside. It is not among those that the cloud may give away: a router
// takes any of these.
func (p Place) Floating() netip.Addr { return p.nth(77) }

// First and Last are the addresses that the cloud may give away.
func (p Place) First() netip.Addr { return p.nth(100) }

// Last is the last one.
func (p Place) Last() netip.Addr { return p.nth(250) }

// nth is an address of the network, which is a /24.
func (p Place) nth(n byte) netip.Addr {
	a := p.Outside.Masked().Addr().As4()
	a[3] = n
	return netip.AddrFrom4(a)
}

// Objects are the server and all that it needs.
func (p Place) Objects() ([]*unstructured.Unstructured, error) {
	if !p.Outside.Addr().Is4() || p.Outside.Bits() != 24 {
		return nil, fmt.Errorf("the network outside is %s, want one of IPv4 with 24 bits, such as 10.180.3.0/24", p.Outside)
	}
	if p.Password == "" {
		return nil, errors.New("the user of the demo has no password")
	}
	parsed, err := template.New("demo").Option("missingkey=error").Parse(demo)
	if err != nil {
		return nil, fmt.Errorf("parsing the demo: %w", err)
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, p); err != nil {
		return nil, fmt.Errorf("writing the demo: %w", err)
	}
	var out []*unstructured.Unstructured
	for d := utilyaml.NewYAMLOrJSONDecoder(&text, 4096); ; {
		u := &unstructured.Unstructured{}
		err := d.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the demo: %w", err)
		}
		out = append(out, u)
	}
}
