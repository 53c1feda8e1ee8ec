//go:build e2e

package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// odd is a password of which files of options, addresses and shells make something.
const odd = `it's "100%" of $HOME:@/#;`

// Somebody writes another password where a service keeps its own, with a line feed at its end, and then takes it away.
// The service goes on with what is there then, and what was there before is worth nothing.
func TestPasswordsAreEdited(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	asked := w.Change(cp)
	asked.Spec.Services.Placement = &controlplanev1.PlacementService{}
	w.Apply(asked)
	placement := &servicev1.Placement{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-placement"}}
	w.Ready(story.UpToReady, placement)
	w.OpenStack("resource", "provider", "create", "host-2")

	user := func(_ *corev1.Secret, password string) error {
		_, err := w.Users(cp).As("placement", "service", password).Token(t.Context())
		return err
	}
	for name, enters := range map[string]door{
		"openstack-placement-user": user, "openstack-placement-db": entersDatabase(w),
	} {
		for _, written := range []string{odd + "\n", ""} {
			goesOnWith(w, placement, name, written, enters)
			w.Eventually(time.Minute, "it knows what it knew", w.Prints("host-2", "resource", "provider", "list"))
		}
	}
	w.OpenStack("resource", "provider", "delete",
		w.OpenStack("resource", "provider", "list", "--name", "host-2", "-f", "value", "-c", "uuid"))
}

// door is passed by who has the password of the account that a Secret is of.
type door func(account *corev1.Secret, password string) error

// goesOnWith writes into a Secret, and waits until the service goes on with the password that is there then.
func goesOnWith(w *story.World, p *servicev1.Placement, name, written string, enters door) {
	w.Helper()
	pods := api(w, p)
	rewritten(w, client.ObjectKey{Namespace: p.Namespace, Name: name}, written, enters)
	w.Eventually(2*time.Minute, "the API runs with it", func(context.Context) error {
		if now := api(w, p); now == pods || now == "" {
			return errors.New("not all of its pods are other ones")
		}
		return nil
	})
	w.Ready(2*time.Minute, p)
}

// rewritten writes a password into a Secret, nothing for one that the operator chooses, and waits until the one that is
// there then is good. That of before is not any more.
func rewritten(w *story.World, key client.ObjectKey, written string, enters door) {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	before := passwordOf(w, s)
	if err := enters(s, before); err != nil {
		w.Fatalf("%s: what it has is not good: %v", key.Name, err)
	}
	s.Data["password"] = []byte(written)
	if err := w.Update(w.Context(), s); err != nil {
		w.Fatal(err)
	}
	w.Eventually(2*time.Minute, key.Name+" has another password, which is good", func(context.Context) error {
		now := passwordOf(w, s)
		switch {
		case now == before || now == "":
			return errors.New("the Secret has none, or that of before")
		case written != "" && now != strings.TrimSuffix(written, "\n"):
			return fmt.Errorf("what was written is not taken: %q", now)
		}
		return enters(s, now)
	})
	if err := enters(s, before); err == nil {
		w.Errorf("%s: the password of before is still good", key.Name)
	}
}

// rekeyed writes other passwords where Nova's cells keep those of their databases and of a bus, and kills all pods, so
// that nobody is connected from before. Nova goes on with what is there then: a server that no host takes ends in an
// error, of which cell0 has the record, and another one is made on a host of cell1.
func rekeyed(w *story.World, nova *servicev1.Nova, near *fleetv1.BuildingBlock, running []string) {
	w.Helper()
	w.OpenStack("flavor", "create", "huge", "--ram", "64", "--disk", "100000000")
	for name, enters := range map[string]door{"cell0-db": entersDatabase(w), "cell1-db": entersDatabase(w),
		"cell1-bus": entersBus(w)} {
		written := odd
		if strings.HasSuffix(name, "-bus") {
			written = strings.ReplaceAll(odd, "/", "") // which is refused there
		}
		rewritten(w, client.ObjectKey{Namespace: nova.Namespace, Name: nova.Name + "-" + name}, written+"\n", enters)
	}
	began := time.Now()
	n := w.Kill(nova.Namespace, nova.Name+"-") + w.Kill(near.Namespace, near.Name+"-")
	w.Eventually(6*time.Minute, "a server that no host takes ends in an error",
		settles(w, nova.Namespace, "ERROR", "--flavor", "huge"))
	if out := inDatabase(w, nova.Namespace, "SELECT COUNT(*) FROM openstack_nova_cell0.instances"); out == "0" {
		w.Error("cell0 has no record of a server that no host took")
	}
	w.Eventually(4*time.Minute, "a server is made on a host of cell1",
		settles(w, nova.Namespace, "ACTIVE", "--flavor", "far", "--host", near.Name+"-0"))
	w.Logf("with other passwords, and %d pods killed, Nova does both after %s", n, time.Since(began).Round(time.Second))
	w.Eventually(time.Minute, "its programs are up again", programs(w, running...))
	w.Ready(time.Minute, nova)
	w.Ready(time.Minute, near)
	w.OpenStack("flavor", "delete", "huge")
}

// settle makes a server, and is content when it is in a state within some ten seconds, as Nova's client takes its time.
// One that hangs, because it was asked for too early, goes.
const settle = `
state=$1; shift
clear() {
	for id in $(openstack server list --name settles -f value -c ID); do openstack server delete --wait "$id"; done
}
clear
openstack --os-compute-api-version 2.74 server create "$@" --image far --nic none settles >/dev/null
for n in $(seq 8); do
	if [ "$(openstack server show settles -f value -c status)" = "$state" ]; then clear; exit; fi
done
openstack server show settles -c status -c fault >&2
exit 1`

// settles checks that a server which is made with these arguments gets into a state.
func settles(w *story.World, namespace, state string, create ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := inClient(ctx, w, namespace, append([]string{"sh", "-ec", settle, "settle", state}, create...)...)
		return err
	}
}

func passwordOf(w *story.World, s *corev1.Secret) string {
	w.Helper()
	if err := w.Get(w.Context(), client.ObjectKeyFromObject(s), s); err != nil {
		w.Fatal(err)
	}
	return string(s.Data["password"])
}

// api tells which pods the API has; nothing while there are others.
func api(w *story.World, p *servicev1.Placement) string {
	w.Helper()
	d := &appsv1.Deployment{}
	if err := w.Get(w.Context(), client.ObjectKey{Namespace: p.Namespace, Name: p.Name + "-api"}, d); err != nil {
		w.Fatal(err)
	}
	if d.Status.ObservedGeneration != d.Generation || d.Status.UpdatedReplicas != *d.Spec.Replicas {
		return ""
	}
	return d.Annotations["deployment.kubernetes.io/revision"]
}

// entersDatabase opens a connection to the database of all services.
func entersDatabase(w *story.World) door {
	const enter = `umask 077; f=$(mktemp); trap 'rm -f $f' EXIT; echo %s | base64 -d >$f
mariadb --defaults-extra-file=$f -e 'SELECT 1'`
	return func(account *corev1.Secret, password string) error {
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(password)
		file := fmt.Sprintf("[client]\nhost=127.0.0.1\ndisable-ssl-verify-server-cert\nuser=%s\npassword=\"%s\"\n",
			account.Data["username"], quoted)
		_, err := w.Cluster.Kubectl(w.Context(), "-n", account.Namespace, "exec", "openstack-galera-0", "--", "sh", "-c",
			fmt.Sprintf(enter, base64.StdEncoding.EncodeToString([]byte(file))))
		return err
	}
}

// entersBus opens a connection to a bus, from a pod of Keystone, which has the library for it.
func entersBus(w *story.World) door {
	const enter = `
import amqp, base64, json, ssl, sys
account = {key: base64.b64decode(value).decode() for key, value in json.loads(sys.argv[1]).items()}
amqp.Connection(account["hosts"].split(",")[0] + ":" + account["port"], userid=account["username"],
                password=account["password"], virtual_host=account["vhost"], ssl={"cert_reqs": ssl.CERT_NONE},
                connect_timeout=5, read_timeout=5).connect()
`
	return func(account *corev1.Secret, password string) error {
		data := maps.Clone(account.Data)
		data["password"] = []byte(password)
		text, err := json.Marshal(data) // in base64, as Secrets are
		if err != nil {
			return err
		}
		_, err = w.Cluster.Kubectl(w.Context(), "-n", account.Namespace, "exec", "deployment/openstack-keystone-api", "--",
			"python3", "-c", enter, string(text))
		return err
	}
}
