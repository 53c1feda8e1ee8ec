package cli

import (
	"io"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackwright.dev/kit/kittest"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/progress"
)

// What up ends with: all there is of a cloud with a dashboard and a server on this machine, and the least of one in
// the cluster of somebody else.
func TestUpReport(t *testing.T) {
	defer func(name string) { os.Args[0] = name }(os.Args[0])
	os.Args[0] = "stackwright" // commands are told by the name by which this program was called
	plane := func(services ...string) *survey {
		s := &survey{Namespace: "openstack", Name: "cloud"}
		for _, name := range services {
			s.Endpoints = append(s.Endpoints, controlplanev1.Endpoint{Service: name, Public: "https://192.0.2.1/" + name})
		}
		return s
	}
	for name, c := range map[string]struct {
		local      bool
		kubeconfig string
		result     arrival
	}{
		"whole": {local: true, kubeconfig: "/kube/config", result: arrival{survey: plane("horizon", "keystone"),
			clouds: "/state/clouds.yaml", proven: &proven{address: netip.MustParseAddr("192.0.2.7"),
				active: 9 * time.Second, answered: 21500 * time.Millisecond, console: []string{"web says hello", "web is up"}}}},
		"bare": {kubeconfig: "/kube/config", result: arrival{survey: plane("keystone")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", c.kubeconfig)
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				u := &ascent{app: &app{out: &out, kubeconfig: "/state/kubeconfig"}, local: c.local, board: parts(t)}
				u.congratulate(&c.result, 95*time.Second)
				kittest.Golden(t, "testdata/up-"+name+".txt", out.String())
			})
		})
	}
}

// parts are two that took their time, and one that is not done.
func parts(t *testing.T) *progress.Board {
	t.Helper()
	b := progress.New(io.Discard, false, 80)
	cluster, images := b.Start("cluster"), b.Start("images")
	<-time.After(20 * time.Second)
	must(t, cluster.End(nil))
	<-time.After(1300 * time.Millisecond)
	must(t, images.End(nil))
	b.Start("cloud")
	return b
}
