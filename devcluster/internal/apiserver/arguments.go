// Package apiserver says how kube-apiserver is configured, and runs it with its etcd for tests that need an API but no
// nodes.
package apiserver

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"stackwright.dev/devcluster/internal/etcd"
	"stackwright.dev/devcluster/internal/pki"
)

// Only health is answered without a client certificate or token.
const authentication = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous:
  enabled: true
  conditions:
  - path: /livez
  - path: /readyz
  - path: /healthz
`

// Config places an API server.
type Config struct {
	Etcd     string   // folder of its etcd
	Keys     string   // folder of certificates and keys, filled by Prepare
	Address  string   // where it listens
	Port     int      //
	Services string   // CIDR of Service addresses
	Hosts    []string // more names and addresses it is reached by
}

// URL is where clients find the server.
func (c Config) URL() string { return fmt.Sprintf("https://%s:%d", c.Address, c.Port) }

// Prepare makes the keys and files that the arguments name, keeping those that are there.
func (c Config) Prepare(authority *pki.Authority) error {
	hosts := append([]string{
		c.Address, "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
		"kubernetes.default.svc.cluster.local",
	}, c.Hosts...)
	if _, err := authority.Ensure(c.Keys, "apiserver", pki.Subject{Name: "kube-apiserver", Hosts: hosts}); err != nil {
		return err
	}
	kubelet := pki.Subject{Name: "kube-apiserver-kubelet-client", Groups: []string{"system:masters"}}
	if _, err := authority.Ensure(c.Keys, "apiserver-kubelet-client", kubelet); err != nil {
		return err
	}
	frontProxy := pki.Subject{Name: "front-proxy-client"}
	if _, err := authority.Ensure(c.Keys, "front-proxy-client", frontProxy); err != nil {
		return err
	}
	if err := pki.EnsureKey(c.Keys, "service-account"); err != nil {
		return err
	}
	if err := os.WriteFile(c.key("authentication.yaml"), []byte(authentication), 0o600); err != nil {
		return fmt.Errorf("writing authentication configuration: %w", err)
	}
	return nil
}

// Arguments are the flags of kube-apiserver that every use shares.
func (c Config) Arguments() []string {
	return []string{
		"--etcd-servers=" + etcd.Endpoint(c.Etcd),
		"--bind-address=" + c.Address,
		"--advertise-address=" + c.Address,
		"--secure-port=" + strconv.Itoa(c.Port),
		"--tls-cert-file=" + c.key("apiserver.crt"),
		"--tls-private-key-file=" + c.key("apiserver.key"),
		"--client-ca-file=" + c.key("ca.crt"),
		"--kubelet-certificate-authority=" + c.key("ca.crt"),
		"--kubelet-client-certificate=" + c.key("apiserver-kubelet-client.crt"),
		"--kubelet-client-key=" + c.key("apiserver-kubelet-client.key"),
		"--kubelet-preferred-address-types=InternalIP",
		"--requestheader-client-ca-file=" + c.key("ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + c.key("front-proxy-client.crt"),
		"--proxy-client-key-file=" + c.key("front-proxy-client.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + c.key("service-account.pub"),
		"--service-account-signing-key-file=" + c.key("service-account.key"),
		"--service-cluster-ip-range=" + c.Services,
		"--authentication-config=" + c.key("authentication.yaml"),
		"--allow-privileged=true",
		"--profiling=false",
	}
}

func (c Config) key(name string) string { return filepath.Join(c.Keys, name) }
