//go:build e2e

package e2e

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// edits are changes that OpenStack makes by actions and not by fields, one after the other: of what, which fields of
// its resource, and with which command the real service prints what then.
const edits = `
	Server/edited; flavorRef: {name: large};                server show edited -c flavor;                large
	Server/edited; imageRef: {name: second};                server show edited -c image;                 second (
	Server/edited; power: stopped;                          server show edited -c status;                SHUTOFF
	Server/edited; locked: true;                            server show edited -c locked;                True
	Server/edited; power: running;                          server show edited -c status;                ACTIVE
	Server/edited; locked: false;                           server show edited -c locked;                False
	Server/edited; metadata: {made: by hand};               server show edited -c properties;            by hand
	Server/edited; tags: [kept];                            server show edited -c tags;                  kept
	Volume/edited; size: 2;                                 volume show edited -c size;                  2
	Volume/edited; volumeTypeRef: {name: quick};            volume show edited -c type;                  quick
	Volume/edited; readonly: true;                          volume show edited -c properties;            'readonly': 'True'
	Volume/edited; bootable: true;                          volume show edited -c bootable;              true
	FloatingIP/edited; portRef: {name: right};              floating ip list -c "Fixed IP Address";      10.13.0.12
	FloatingIP/edited; portRef: {name: null, none: true};   floating ip list -c "Fixed IP Address";      None
	FloatingIP/edited; portRef: {name: left, none: null};   floating ip list -c "Fixed IP Address";      10.13.0.11
	Router/edited; externalGateway: {networkRef: {name: other}}; router show edited;                     198.51.100.
	Router/edited; externalGateway: {networkRef: null, none: true}; router show edited -c external_gateway_info; None
	Router/edited; externalGateway: {networkRef: {name: public}, none: null}; router show edited;        203.0.113.`

// What OpenStack changes by actions is changed by editing its object: servers are resized, rebuilt, stopped and locked,
// volumes grow and are retyped, addresses and gateways move. What somebody else did by such an action is undone by one,
// and a server that is being resized while the operator is killed is resized once.
func TestEditsAreActions(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := stored(w)
	crowd := f.block("crowd")
	crowd.Spec.Driver, crowd.Spec.Fake = fleetv1.DriverFake, &fleetv1.Fake{Hosts: fakeHosts}
	f.make(crowd, fakeHosts)
	host := "guest." + w.Namespace + ".svc"
	offerCloud(w, host)
	disk(w)
	text, err := os.ReadFile("testdata/edit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := decoded(w, strings.ReplaceAll(string(text), "HOST", host))
	for _, o := range all {
		w.Apply(o.DeepCopy())
	}
	ready := func(ctx context.Context) error { return allDone(ctx, w, all) }
	w.Eventually(3*time.Minute, "everything is ready", ready)
	ids := identities(w, all)

	for line := range strings.SplitSeq(strings.TrimSpace(edits), "\n") {
		part := strings.Split(strings.TrimSpace(line), ";")
		began := time.Now()
		change(w, all, part[0], part[1])
		w.Eventually(time.Minute, part[0]+strings.TrimSpace(part[1]), ready)
		w.Eventually(time.Minute, "the service has it", printsValue(w, part[2], part[3]))
		t.Logf("%s,%s: %s", part[0], part[1], time.Since(began).Round(100*time.Millisecond))
	}
	undone(w, ready)

	change(w, all, "Server/edited", "flavorRef: {name: small}")
	w.Eventually(time.Minute, "the server is being resized", w.Prints("RESIZE", "server", "show", "edited"))
	w.MustCrash(operators, "stackwright-operator")
	w.Eventually(2*time.Minute, "everything is ready after the operator was killed", ready)
	w.Eventually(time.Minute, "the server is resized", printsValue(w, "server show edited -c flavor", "small"))
	w.Eventually(time.Minute, "and goes on", printsValue(w, "server show edited -c status", "ACTIVE"))
	if n := strings.Count(w.OpenStack("server", "migration", "list"), " resize "); n != 2 {
		t.Errorf("Nova has resized %d times, want 2", n)
	}
	if diff := sameLines(ids, identities(w, all)); diff != nil {
		t.Errorf("objects stand for something else than before they were edited: %v", diff)
	}
	removeAll(w, all)
	for _, list := range []string{"server", "volume", "floating ip", "router"} {
		if out := w.OpenStack(append(strings.Fields(list), "list", "-f", "value")...); out != "" {
			t.Errorf("of every %s is left %s", list, out)
		}
	}
}

// undone has somebody else act on what is declared, and wants that back.
func undone(w *story.World, ready func(context.Context) error) {
	w.Helper()
	w.OpenStack("server", "stop", "edited")
	w.OpenStack("volume", "set", "--type", "slow", "--retype-policy", "on-demand", "edited")
	w.OpenStack("router", "unset", "--external-gateway", "edited")
	w.OpenStack("floating", "ip", "unset", "--port", w.OpenStack(strings.Fields("floating ip list -f value -c ID")...))
	w.Eventually(time.Minute, "the server runs again", printsValue(w, "server show edited -c status", "ACTIVE"))
	w.Eventually(time.Minute, "the volume has its type again", printsValue(w, "volume show edited -c type", "quick"))
	w.Eventually(time.Minute, "the router has its gateway again",
		printsValue(w, "router show edited -c external_gateway_info", "203.0.113."))
	w.Eventually(time.Minute, "the address leads to its port again",
		printsValue(w, `floating ip list -c "Fixed IP Address"`, "10.13.0.11"))
	w.OpenStack("server", "lock", "edited")
	w.Eventually(time.Minute, "the server is not locked", printsValue(w, "server show edited -c locked", "False"))
	w.Eventually(time.Minute, "everything is ready", ready)
}

// printsValue checks that a command prints a value; quoted words of it belong together.
func printsValue(w *story.World, command, want string) func(context.Context) error {
	var words []string
	for i, part := range strings.Split(command, `"`) {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return w.Prints(strings.TrimSpace(want), append(words, "-f", "value")...)
}
