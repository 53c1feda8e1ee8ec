package script_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/test/bench/contender/capture"
	"stackwright.dev/stackwright/test/bench/contender/script"
)

const resources = `
- apiVersion: infra.stackwright.dev/v1alpha1
  kind: Database
  metadata: {name: nova-cell0}
  spec: {characterSet: utf8mb3}
- apiVersion: openstack.stackwright.dev/v1alpha1
  kind: Project
  metadata: {name: p}
  spec: {resource: {name: service}}
- apiVersion: openstack.stackwright.dev/v1alpha1
  kind: User
  metadata: {name: cloud-nova}
  spec: {resource: {name: nova, passwordRef: {name: nova-user, key: password}}}
- apiVersion: openstack.stackwright.dev/v1alpha1
  kind: RoleAssignment
  metadata: {name: r}
  spec: {resource: {projectRef: {name: p}, roleRef: {external: {name: service}}, userRef: {name: cloud-nova}}}
- apiVersion: openstack.stackwright.dev/v1alpha1
  kind: Service
  metadata: {name: cloud-nova}
  spec: {resource: {name: nova, type: compute}}
- apiVersion: openstack.stackwright.dev/v1alpha1
  kind: Endpoint
  metadata: {name: e}
  spec:
    resource:
      interface: public
      regionRef: {external: {name: RegionOne}}
      serviceRef: {name: cloud-nova}
      url: https://192.0.2.1:8776/v3/%(project_id)s
- apiVersion: openstack.stackwright.dev/v1alpha1
  kind: HostAggregate
  metadata: {name: rack}
  spec: {resource: {availabilityZone: north}}
- apiVersion: openstack.stackwright.dev/v1alpha1
  kind: HostAggregate
  metadata: {name: bare}
  spec: {resource: {}}
- apiVersion: openstack.stackwright.dev/v1alpha1
  kind: AggregateHost
  metadata: {name: h}
  spec: {resource: {aggregateRef: {name: rack}, host: node-1}}
`

func cloud(t *testing.T) *capture.Cloud {
	t.Helper()
	var list []map[string]any
	if err := yaml.Unmarshal([]byte(resources), &list); err != nil {
		t.Fatal(err)
	}
	secret := func(data map[string][]byte) *corev1.Secret {
		return &corev1.Secret{Data: data, ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{
			{Kind: "MessageBus", Controller: new(true)}}}}
	}
	c := &capture.Cloud{Namespace: "cloud", Secrets: map[string]*corev1.Secret{
		"nova-cell0-db": {Data: map[string][]byte{"database": []byte("nova_cell0"), "username": []byte("nova_cell0"),
			"password": []byte("it's")}},
		"nova-user": {Data: map[string][]byte{"password": []byte("pass word")}},
		"bus": secret(map[string][]byte{"username": []byte("nova"), "vhost": []byte("cell1"),
			"password": []byte("secret")}),
	}}
	for _, o := range list {
		c.Resources = append(c.Resources, &unstructured.Unstructured{Object: o})
	}
	return c
}

func TestDatabases(t *testing.T) {
	want := "CREATE DATABASE `nova_cell0` CHARACTER SET utf8mb3;\n" +
		"CREATE USER 'nova_cell0'@'%' IDENTIFIED BY 'it\\'s' REQUIRE SSL;\n" +
		"GRANT ALL PRIVILEGES ON `nova\\_cell0`.* TO 'nova_cell0'@'%';\n"
	if diff := cmp.Diff(want, script.Databases(cloud(t))); diff != "" {
		t.Error(diff)
	}
}

// The broker gets what a bus has, and the password as a hash only.
func TestBuses(t *testing.T) {
	b, err := script.Buses(cloud(t))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Users       []struct{ Name string }
		VHosts      []struct{ Name string }
		Permissions []struct{ User, VHost, Configure string }
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Users) != 1 || got.Users[0].Name != "nova" || got.VHosts[0].Name != "cell1" ||
		got.Permissions[0].User != "nova" || got.Permissions[0].VHost != "cell1" || got.Permissions[0].Configure != ".*" {
		t.Errorf("definitions are %s", b)
	}
	if strings.Contains(string(b), "secret") {
		t.Error("the password is in the definitions")
	}
}

// Names are those in OpenStack, not those of objects, and words with blanks stay whole.
func TestRegister(t *testing.T) {
	want := `project create --or-show service
user create --password 'pass word' nova
role add --user nova --project service service
service create --name nova compute
endpoint create --region RegionOne nova public 'https://192.0.2.1:8776/v3/%(project_id)s'
`
	if diff := cmp.Diff(want, script.Register(cloud(t))); diff != "" {
		t.Error(diff)
	}
}

func TestAggregates(t *testing.T) {
	want := "aggregate create bare\naggregate create --zone north rack\naggregate add host rack node-1\n"
	if diff := cmp.Diff(want, script.Aggregates(cloud(t))); diff != "" {
		t.Error(diff)
	}
}

func TestGuest(t *testing.T) {
	all := strings.Split(strings.TrimSpace(script.Guest("/disk", "/hello")), "\n")
	last := all[len(all)-1]
	if !strings.Contains(all[0], "--file /disk ") || !strings.HasPrefix(last, "server create ") ||
		!strings.Contains(last, "--user-data /hello --wait web") {
		t.Errorf("the batch is %s", strings.Join(all, "\n"))
	}
}

// Daemons whose agents take orders start without them, with the flags of the agent; others stay as they are.
func TestAlone(t *testing.T) {
	for name, c := range map[string]struct {
		command []string
		want    []string
		port    int32
	}{
		"mariadb": {[]string{"stackwright-agent", "mariadb", "--volume=/v", "--config=/c/my.cnf", "--run=/r"},
			[]string{"data=/v/data run=/r config=/c/my.cnf", "--wsrep-new-cluster"}, 3306},
		"rabbitmq": {[]string{"stackwright-agent", "rabbitmq", "--domain=members.cloud.svc", "--port=5671"},
			[]string{"rabbit@$POD_NAME.members.cloud.svc", "exec /usr/lib/rabbitmq/bin/rabbitmq-server"}, 5671},
		"ovsdb": {[]string{"stackwright-agent", "ovsdb", "--schema=/s", "--domain=nb.svc", "--port=6641",
			"--raft-port=6643", "--election-timer=5000", "--inactivity-probe=60000"},
			[]string{"--election-timer=5000 create-cluster $file /s ssl:$POD_NAME.nb.svc:6643", `"pssl:6641:$POD_IP"`}, 6641},
	} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Command: c.command}}}}
		got, ok := script.Alone(pod)
		if !ok {
			t.Errorf("%s is not known", name)
			continue
		}
		text := got.Spec.Containers[0].Command[2]
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, text)
			}
		}
		if p := got.Spec.Containers[0].ReadinessProbe.TCPSocket.Port.IntVal; p != c.port {
			t.Errorf("%s is asked at port %d, want %d", name, p, c.port)
		}
		if pod.Spec.Containers[0].Command[0] != "stackwright-agent" {
			t.Errorf("%s: what was captured has changed", name)
		}
	}
	for _, command := range [][]string{nil, {"sleep", "1"}, {"stackwright-agent", "memcached"}} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Command: command}}}}
		if got, ok := script.Alone(pod); ok || got != pod {
			t.Errorf("%v is started in another way", command)
		}
	}
}
