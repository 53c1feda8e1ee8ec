//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Mode standalone of the chart makes an identity service of plain objects: there is no Keystone that an operator would
// look after. It gives tokens, takes other options, and after it was away it is the one that it was.
func TestStandaloneKeystone(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	account(w, "identity")
	values := standalone(w, "keystone", map[string]any{"replicas": 2})
	helm := helmOf(w, w.Namespace)
	began := time.Now()
	install(w, helm, "keystone", "identity", values)
	t.Logf("the release was there after %s", time.Since(began).Round(time.Second))
	keystones := &servicev1.KeystoneList{}
	if err := w.List(t.Context(), keystones, client.InNamespace(w.Namespace)); err != nil || len(keystones.Items) > 0 {
		t.Fatalf("there are %d objects of operators, and reading them: %v", len(keystones.Items), err)
	}
	asClient(w, "first", givesTokens)
	before := kept(w)

	values["config"] = map[string]any{"token": map[string]any{"expiration": 7200}}
	values["standalone"] = map[string]any{"image": operatorImage(w), "contract": true, "schedule": "* * * * *"}
	upgradeTo(w, helm, values)
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "identity-api"}}
	w.Ready(time.Minute, d)
	w.Eventually(3*time.Minute, "the pods are those of the certificate", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(d), d); err != nil {
			return err
		}
		if d.Spec.Template.Annotations["service.stackwright.dev/certificate"] == "" {
			return errors.New("nobody has looked at the certificate")
		}
		return nil
	})
	w.Ready(2*time.Minute, d)
	config := &corev1.Secret{}
	key := client.ObjectKey{Namespace: w.Namespace,
		Name: "identity-config-" + d.Annotations["service.stackwright.dev/config"]}
	if err := w.Get(t.Context(), key, config); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(config.Data["keystone.conf"]), "expiration = 7200") {
		t.Error("the pods do not have the option of the upgrade")
	}
	asClient(w, "second", givesTokens)

	remove := action.NewUninstall(helm)
	remove.WaitStrategy, remove.Timeout = kube.StatusWatcherStrategy, 2*time.Minute
	if _, err := remove.Run("identity"); err != nil {
		t.Fatalf("uninstalling the release: %v", err)
	}
	w.Gone(time.Minute, d)
	install(w, helm, "keystone", "identity", values)
	asClient(w, "third", givesTokens)
	if !maps.Equal(before, kept(w)) {
		t.Error("an upgrade or a new installation has made keys or passwords anew")
	}
}

// Services of plain objects find a Keystone of plain objects, and are in its catalog. All but Placement, which makes
// the project of their users, are installed at once. Each does for a client what takes its database, its bus, its
// programs, and where it keeps things: a Ceph for images, an OVN for networks, caches for sessions of the dashboard.
func TestStandaloneServices(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	ceph := newCeph(w, w.Namespace, infrav1.DevCephClient{Name: "glance", Pools: []string{"images"}})
	w.Apply(ceph)
	n := newNetwork(w, 1)
	account(w, "identity", "inventory", "volumes", "keys", "images", "stacks", "networks")
	bus(w, "volumes", "keys", "stacks", "networks")
	addressed(w, n)
	w.Ready(2*time.Minute, ceph)
	helm := helmOf(w, w.Namespace)
	install(w, helm, "keystone", "identity", standalone(w, "keystone", nil))
	trust := map[string]any{"caSecret": "identity-ca"}
	asks := map[string]any{"identity": map[string]any{"keystone": "identity"}, "tls": trust}
	install(w, helm, "placement", "inventory", standalone(w, "placement", asks))
	began := time.Now()
	installAll(w, asks, map[string]map[string]any{
		"cinder volumes":   {"rabbitmq": "mq"},
		"barbican keys":    {"rabbitmq": "mq"},
		"heat stacks":      {"rabbitmq": "mq", "cfn": map[string]any{"expose": map[string]any{"type": "ClusterIP"}}},
		"neutron networks": {"rabbitmq": "mq", "ovn": "nets"},
		"glance images": {"stores": []any{map[string]any{"name": "ceph",
			"rbd": map[string]any{"secret": "ceph-glance", "pool": "images"}}}},
		"horizon dashboard": {"identity": nil, "keystone": "identity", "memcached": "sessions"},
	})
	t.Logf("six releases were there after %s", time.Since(began).Round(time.Second))
	asClient(w, "all", "file="+some+"\n"+eachWorks)
	if out, err := n.ask(t.Context(), "ovn-nb-0", "ovn-nbctl", "--bare", "--columns=name", "list",
		"Logical_Switch"); err != nil || strings.Count(out, "neutron-") != 1 {
		t.Errorf("OVN has the switches %s, want one of Neutron: %v", out, err)
	}
	asClient(w, "browser", "at=https://dashboard-public."+w.Namespace+".svc\n"+logsIn)
}

// eachWorks asks every service. A stack comes and goes with its network; the other one stays.
const eachWorks = `export OS_CLOUD=internal
soon() {
	for n in $(seq 30); do if sh -c "$1"; then return; fi; done
	exit 1
}
openstack endpoint list --service placement -f value -c URL | grep https://inventory-internal
soon 'openstack volume service list -f value -c Binary -c State | grep "cinder-scheduler up"'
href=$(openstack secret store --name greeting --payload hello -f value -c "Secret href")
openstack secret get "$href" --payload -f value | grep hello
order=$(openstack secret order create --name pair --algorithm rsa --bit-length 2048 asymmetric -f value -c "Order href")
soon "openstack secret order get $order -f value -c Status | grep ACTIVE"
openstack image create --disk-format raw --container-format bare --file "$file" kept
openstack image save --file /tmp/back kept
test "$(sha256sum </tmp/back)" = "$(sha256sum <"$file")"
openstack network create shop
openstack subnet create --network shop --subnet-range 10.20.0.0/24 shop
openstack port create --network shop shop -f value -c fixed_ips | grep 10.20.0.
cat >/tmp/stack.yaml <<'END'` + word + `END
openstack stack create --wait --template /tmp/stack.yaml made
test 12 = "$(openstack stack output show made word -f value -c output_value | tr -d '\n' | wc -c)"
openstack network show of-the-stack
openstack stack delete --yes --wait made
`

// logsIn does what a browser does to log in, and looks whether another page offers to log out.
const logsIn = `set +x
page() {
	curl --fail --silent --show-error --max-time 60 --cacert /etc/openstack/ca.crt --cookie /tmp/jar \
		--cookie-jar /tmp/jar "$@"
}
page "$at/auth/login/" >/tmp/page
token=$(sed -n 's/.*name="csrfmiddlewaretoken" value="\([^"]*\)".*/\1/p' /tmp/page | head -n 1)
password=$(python3 -c 'import yaml; c = yaml.safe_load(open("/etc/openstack/clouds.yaml"))["clouds"]
print(c["internal"]["auth"]["password"])')
page --referer "$at/auth/login/" --data-urlencode "csrfmiddlewaretoken=$token" --data username=admin \
	--data region=default --data-urlencode "password=$password" "$at/auth/login/" >/tmp/page
page --location "$at/identity/" | grep "Sign Out"
`

// addressed makes the Secrets by which charts know an OVN and caches: those that operators make, with addresses.
func addressed(w *story.World, n *network) {
	w.Helper()
	m := &infrav1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "cache"}}
	m.Spec.Image = image(w, "memcached")
	w.Apply(m.DeepCopy())
	w.Ready(2*time.Minute, n.ovn)
	w.Ready(2*time.Minute, m)
	copied := func(from, name string, addresses map[string]string) {
		w.Helper()
		s := &corev1.Secret{}
		if err := w.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: from}, s); err != nil {
			w.Fatalf("reading how clients are known: %v", err)
		}
		made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}, Data: maps.Clone(s.Data)}
		for key, value := range addresses {
			made.Data[key] = []byte(value)
		}
		w.Apply(made)
	}
	copied(n.ovn.Status.ClientSecret, "nets-client", map[string]string{
		"northbound": n.ovn.Status.Northbound.Connection, "southbound": n.ovn.Status.Southbound.Connection})
	copied(m.Status.ClientSecret, "sessions-client", map[string]string{"servers": strings.Join(m.Status.Servers, ",")})
}

// Nova of plain objects has a cell of plain objects: a release of its own, whose conductor Nova finds by what the
// cell's Secrets say.
func TestStandaloneNova(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	account(w, "identity", "inventory", "servers", "servers-cell0", "servers-one")
	bus(w, "servers", "servers-one")
	helm := helmOf(w, w.Namespace)
	install(w, helm, "keystone", "identity", standalone(w, "keystone", nil))
	asks := map[string]any{"identity": map[string]any{"keystone": "identity"},
		"tls": map[string]any{"caSecret": "identity-ca"}}
	install(w, helm, "placement", "inventory", standalone(w, "placement", asks))
	asks["rabbitmq"], asks["cells"] = "mq", []any{map[string]any{"name": "one"}}
	install(w, helm, "nova", "servers", standalone(w, "nova", asks))
	delete(asks, "cells")
	asks["nova"], asks["image"] = "servers", image(w, "nova")
	install(w, helm, "novacell", "servers-one", standalone(w, "novacell", asks))
	asClient(w, "servers", `export OS_CLOUD=internal
		for n in $(seq 30); do
			openstack compute service list -f value -c Binary -c Host -c State >/tmp/services
			cat /tmp/services
			if grep "nova-scheduler servers-scheduler up" /tmp/services &&
				grep "nova-conductor servers-conductor up" /tmp/services &&
				grep "nova-conductor servers-one-conductor up" /tmp/services; then exit; fi
		done
		exit 1`)
}

// standalone are values of a chart for plain objects.
func standalone(w *story.World, service string, more map[string]any) map[string]any {
	w.Helper()
	values := map[string]any{
		"mode": "standalone", "image": image(w, service), "workers": 1,
		"standalone": map[string]any{"image": operatorImage(w)}, "expose": map[string]any{"type": "ClusterIP"},
	}
	maps.Copy(values, more)
	return values
}

// bus makes virtual hosts with an account each.
func bus(w *story.World, names ...string) {
	w.Helper()
	r := &infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mq"}}
	r.Spec.Image, r.Spec.Replicas = image(w, "rabbitmq"), 1
	r.Spec.Storage.Size.Set(1 << 30)
	w.Apply(r)
	for _, name := range names {
		b := &infrav1.MessageBus{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
		b.Spec.RabbitMQ = "mq"
		w.Apply(b)
		w.Ready(story.UpToReady, b)
	}
}

// account makes databases with an account each, which is what charts are given.
func account(w *story.World, names ...string) {
	w.Helper()
	g := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "db"}}
	g.Spec.Image, g.Spec.Replicas, g.Spec.DeletionPolicy = image(w, "mariadb"), 1, infrav1.DeleteData
	g.Spec.Storage.Size.Set(1 << 30)
	w.Apply(g)
	for _, name := range names {
		d := &infrav1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
		d.Spec.Galera, d.Spec.DeletionPolicy = "db", infrav1.DeleteData
		w.Apply(d)
		w.Ready(story.UpToReady, d)
	}
}

// operatorImage is the image whose program makes the Secrets.
func operatorImage(w *story.World) string {
	w.Helper()
	all := &appsv1.DeploymentList{}
	if err := w.List(w.Context(), all, client.InNamespace(operators)); err != nil || len(all.Items) == 0 {
		w.Fatalf("looking for the operators' image among %d Deployments: %v", len(all.Items), err)
	}
	return all.Items[0].Spec.Template.Spec.Containers[0].Image
}

func install(w *story.World, helm *action.Configuration, name, release string, values map[string]any) {
	w.Helper()
	if err := installs(w, helm, name, release, values); err != nil {
		w.Fatal(err)
	}
}

// installAll installs releases beside each other. They are named by the chart and the release; what they have in common
// is in the values of each, unless it has nil there.
func installAll(w *story.World, common map[string]any, all map[string]map[string]any) {
	w.Helper()
	failures := make(chan error, len(all))
	for names, own := range all {
		chart, release, _ := strings.Cut(names, " ")
		values := standalone(w, chart, common)
		maps.Copy(values, own)
		maps.DeleteFunc(values, func(_ string, value any) bool { return value == nil })
		helm := helmOf(w, w.Namespace)
		go func() { failures <- installs(w, helm, chart, release, values) }()
	}
	var errs []error
	for range all {
		errs = append(errs, <-failures)
	}
	if err := errors.Join(errs...); err != nil {
		w.Fatal(err)
	}
}

func installs(w *story.World, helm *action.Configuration, name, release string, values map[string]any) error {
	add := action.NewInstall(helm)
	add.ReleaseName, add.Namespace, add.WaitStrategy = release, w.Namespace, kube.StatusWatcherStrategy
	add.Timeout = story.UpToReady
	chart, err := loader.LoadDir("../../charts/" + name)
	if err == nil {
		_, err = add.RunWithContext(w.Context(), chart, maps.Clone(values))
	}
	if err != nil {
		return fmt.Errorf("installing chart %s: %w", name, err)
	}
	return nil
}

func upgradeTo(w *story.World, helm *action.Configuration, values map[string]any) {
	w.Helper()
	upgrade := action.NewUpgrade(helm)
	upgrade.Namespace, upgrade.ResetValues, upgrade.WaitStrategy = w.Namespace, true, kube.StatusWatcherStrategy
	upgrade.Timeout = story.UpToReady
	chart, err := loader.LoadDir("../../charts/keystone")
	if err == nil {
		_, err = upgrade.RunWithContext(w.Context(), "identity", chart, maps.Clone(values))
	}
	if err != nil {
		w.Fatalf("upgrading the release: %v", err)
	}
}

// kept is what must stay: keys, passwords and certificates.
func kept(w *story.World) map[string]string {
	w.Helper()
	out := map[string]string{}
	for _, name := range []string{"admin", "ca", "clouds", "credential", "fernet", "tls"} {
		s := &corev1.Secret{}
		if err := w.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: "identity-" + name}, s); err != nil {
			w.Fatalf("reading what has to stay: %v", err)
		}
		for _, key := range slices.Sorted(maps.Keys(s.Data)) {
			out[name+"/"+key] = string(bytes.TrimSpace(s.Data[key]))
		}
	}
	return out
}

// givesTokens asks both clouds for a token, and whether the catalog has Keystone.
const givesTokens = `for OS_CLOUD in default internal; do export OS_CLOUD
	test -n "$(openstack token issue -f value -c id)"
	openstack catalog list -f value | grep keystone
done`

// asClient runs a program with the client of OpenStack in a pod beside, with the Secret of clouds that the chart's Job
// has made, and waits until it ends well.
func asClient(w *story.World, name, asks string) {
	w.Helper()
	const user = 42400
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "client-" + name}}
	job.Spec.BackoffLimit = new(int32(0))
	job.Spec.Template.Spec = corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: new(false),
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(user)),
			FSGroup: new(int64(user)), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{
			Name: "client", Image: image(w, "openstackclient"), Command: []string{"sh", "-exc", asks},
			Env: []corev1.EnvVar{{Name: "OS_CLIENT_CONFIG_FILE", Value: "/etc/openstack/clouds.yaml"},
				{Name: "HOME", Value: "/tmp"}},
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			VolumeMounts: []corev1.VolumeMount{{Name: "clouds", MountPath: "/etc/openstack"}, {Name: "tmp", MountPath: "/tmp"}},
		}},
		Volumes: []corev1.Volume{
			{Name: "clouds", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
				SecretName: "identity-clouds", DefaultMode: new(int32(0o440))}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		},
	}
	w.Apply(job)
	w.Eventually(3*time.Minute, "the client has what it asked for", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(job), job); err != nil {
			return err
		}
		if job.Status.Failed > 0 {
			w.Fatalf("the client failed; see the log of Job %s", job.Name)
		}
		if job.Status.Succeeded == 0 {
			return fmt.Errorf("Job %s runs", job.Name)
		}
		return nil
	})
}
