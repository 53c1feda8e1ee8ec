//go:build e2e

package machine

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"

	"stackwright.dev/stackwright/test/e2e/story"
)

// A cluster that somebody else made gets operators and an identity service from a registry, by one command that can be
// repeated, and is empty again after another one.
func TestUpIntoAForeignCluster(t *testing.T) {
	story.Slow(t)
	c := story.Cluster{Name: "foreign", Log: os.Stderr}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("kept logs, events and objects in %s", c.Keep("foreign"))
		}
		if err := c.Down(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := c.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := kinds(t, c)
	from := images(t, c)
	up := func() string {
		t.Helper()
		began := time.Now()
		said, err := c.Stackwright(t.Context(), "up", "--registry", from+"/cloud", "--plain-http", "--profile", "keystone")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("up took %s", time.Since(began).Round(time.Second))
		return said
	}
	if said := up(); !strings.Contains(said, "OpenStack is ready: openstack/openstack") {
		t.Errorf("up does not say that the cloud is ready but\n%s", said)
	}
	up()
	if _, err := c.Stackwright(t.Context(), "openstack", "token", "issue"); err != nil {
		t.Error(err)
	}
	pulled, err := c.Kubectl(t.Context(), "get", "pods", "-A", "-o",
		`jsonpath={range .items[*].spec.containers[*]}{.image}{"\n"}{end}`)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(pulled, from+"/cloud/"); n < 5 {
		t.Errorf("%d containers have images of the registry:\n%s", n, pulled)
	}

	if said, err := c.Stackwright(t.Context(), "down"); err == nil {
		t.Errorf("a control plane that is live goes without a word of its name: %s", said)
	}
	if _, err := c.Stackwright(t.Context(), "down", "--confirm", "openstack"); err != nil {
		t.Fatal(err)
	}
	if after := kinds(t, c); after != before {
		t.Errorf("before there were kinds\n%s\nand after\n%s", before, after)
	}
	rest, err := c.Kubectl(t.Context(), "get", "clusterroles,clusterrolebindings,validatingadmissionpolicies,pods",
		"-A", "-o", "name")
	if err != nil || strings.Contains(rest, "stackwright") {
		t.Errorf("of the operators is left %s (%v)", rest, err)
	}
}

// kinds are the kinds that somebody has added to the cluster.
func kinds(t *testing.T, c story.Cluster) string {
	t.Helper()
	out, err := c.Kubectl(t.Context(), "get", "customresourcedefinitions", "-o", "name")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// images starts a registry that this machine and the node of the cluster reach by the same address: each on its own
// loopback, on which containerd and our client need no TLS.
func images(t *testing.T, c story.Cluster) (address string) {
	t.Helper()
	handler := registry.New(registry.WithBlobHandler(registry.NewDiskBlobHandler(t.TempDir())),
		registry.Logger(log.New(io.Discard, "", 0)))
	address = "127.0.0.1:0"
	for _, network := range []string{"", c.Network("node-1")} {
		l, err := story.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		address = l.Addr().String()
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute,
			BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(t.Context()) }}
		go func() { _ = server.Serve(l) }()
		t.Cleanup(func() { _ = server.Close() })
	}
	return address
}
