package bus

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
)

// Config says where notifications come from.
type Config struct {
	// URL of the bus as oslo.messaging takes it, rabbit://user:password@host:port,.../vhost, or amqp:// or amqps://.
	// There may be several, each on a line of its own, of services that have virtual hosts of their own. The option
	// exchange=NAME, which may be repeated, says which exchanges are looked for there; all of Exchanges without it.
	URL string
	// CA in PEM, besides those of the system. With it the connection is encrypted whatever the URL says.
	CA []byte
	// Topics and Exchanges that services send to; without topics those of the function of that name.
	Topics, Exchanges []string
}

// Topics are what services send to unless they are told otherwise; Nova has a topic for versioned notifications.
func Topics() []string { return []string{"notifications", "versioned_notifications"} }

// Exchanges are the control exchanges of types of services, unless these are told otherwise. Cinder's is that of
// oslo.messaging itself. A broker logs an error for each exchange that is asked for and not there.
func Exchanges(services []string) (out []string) {
	known := map[string][]string{"identity": {"keystone"}, "compute": {"nova"}, "network": {"neutron"},
		"image": {"glance"}, "block-storage": {"openstack", "cinder"}, "load-balancer": {"octavia"}, "dns": {"designate"},
		"orchestration": {"heat"}}
	for _, s := range services {
		for _, e := range known[s] {
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Same tells whether two configurations listen to the same.
func (c Config) Same(o Config) bool {
	return c.URL == o.URL && string(c.CA) == string(o.CA) && slices.Equal(c.Topics, o.Topics) &&
		slices.Equal(c.Exchanges, o.Exchanges)
}

// host is one member of the broker, with the account that the URL has for it.
type host struct {
	address, name  string
	user, password string
}

// address is a parsed URL.
type address struct {
	hosts []host
	vhost string
	tls   *tls.Config
	// only are the exchanges that are looked for; none is all.
	only []string
}

// errURL says no more: what does not parse may have the password anywhere.
var errURL = errors.New("the URL of the bus is not of the form rabbit://user:password@host:port/vhost")

// parse reads the URL. Hosts are separated by commas, each with an account of its own, which net/url does not know.
func (c Config) parse() (*address, error) {
	scheme, rest, ok := strings.Cut(c.URL, "://")
	if !ok {
		return nil, errURL
	}
	rest, query, _ := strings.Cut(rest, "?")
	list, path, _ := strings.Cut(rest, "/")
	vhost, err := url.PathUnescape(path)
	if err != nil {
		return nil, errURL
	}
	if vhost == "" {
		vhost = "/"
	}
	options, err := url.ParseQuery(query)
	if err != nil {
		return nil, errURL
	}
	encrypted := scheme == "amqps" || len(c.CA) > 0 || slices.Contains([]string{"1", "true", "True"}, options.Get("ssl"))
	a := &address{vhost: vhost, only: options["exchange"]}
	switch scheme {
	case "rabbit", "amqp", "amqps", "kombu":
	default:
		return nil, errURL
	}
	for part := range strings.SplitSeq(list, ",") {
		h, err := parseHost(part, encrypted)
		if err != nil {
			return nil, err
		}
		a.hosts = append(a.hosts, h)
	}
	if encrypted {
		a.tls, err = c.encryption()
	}
	return a, err
}

func parseHost(part string, encrypted bool) (host, error) {
	u, err := url.Parse("//" + part)
	if err != nil || u.Hostname() == "" {
		return host{}, errURL
	}
	port := u.Port()
	switch {
	case port != "":
	case encrypted:
		port = "5671"
	default:
		port = "5672"
	}
	h := host{address: net.JoinHostPort(u.Hostname(), port), name: u.Hostname(), user: "guest", password: "guest"}
	if u.User != nil {
		h.user = u.User.Username()
		h.password, _ = u.User.Password()
	}
	return h, nil
}

func (c Config) encryption() (*tls.Config, error) {
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(c.CA) == 0 {
		return t, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(c.CA) {
		return nil, errors.New("the CA of the bus has no certificate; give it in PEM, from BEGIN CERTIFICATE on")
	}
	t.RootCAs = roots
	return t, nil
}
