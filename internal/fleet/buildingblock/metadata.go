package buildingblock

import (
	"cmp"
	_ "embed"
	"fmt"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/ovn"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// teller starts the metadata agent.
//
//go:embed stackwright_metadata.py
var teller []byte

const (
	metadataFile = "metadata.conf"
	tellerFile   = "stackwright_metadata.py"
	metadataDir  = "/etc/stackwright/metadata"
	ovnDir       = "/etc/stackwright/ovn"
	// authorityDir has the certificates that the cell is known by, and nothing else of what its hosts know.
	authorityDir = "/etc/stackwright/authority"
	neutronHome  = "/var/lib/neutron"
)

// telling is the readiness of the agent: it answers proxies, and has a connection to OVN's southbound database.
const telling = `test -S ` + neutronHome + `/metadata_proxy || { echo not started yet; exit 1; }
ss -HtnpO state established "( dport = :6642 )" | grep -q pid= || { echo no connection to OVN; exit 1; }
`

func metadataName(b object) string { return b.Name + "-metadata" }

func metadataRefs() []ref.Ref[object] {
	name := func(of func(b object) string) func(object) string {
		return func(b object) string {
			if !networked(b) {
				return ""
			}
			return of(b)
		}
	}
	return []ref.Ref[object]{
		ref.Local(refOVN, &infrav1.OVN{}, name(func(b object) string { return b.Spec.OVN }),
			ref.WaitFor[object](southbound), ref.DigestOf[object](database)),
		ref.Local(refOVNClient, &corev1.Secret{}, name(func(b object) string { return ovn.ClientSecret(b.Spec.OVN) }),
			ref.Fields[object]("ca.crt", "tls.crt", "tls.key")),
		ref.Local(refPassword, &corev1.Secret{}, name(func(b object) string { return b.Spec.Cell + "-metadata" }),
			ref.Fields[object](service.KeyPassword)),
	}
}

// southbound is the gate of the OVN: its southbound database has an address.
func southbound(obj client.Object) (bool, string) {
	if connection(obj) != "" {
		return true, ""
	}
	return false, fmt.Sprintf("OVN %s has no addresses yet; see kubectl -n %s describe ovn/%s",
		obj.GetName(), obj.GetNamespace(), obj.GetName())
}

func connection(obj client.Object) string {
	if o, ok := obj.(*infrav1.OVN); ok {
		return o.Status.Southbound.Connection
	}
	return ""
}

// database tells apart the southbound databases that there have been under the name of an OVN. A connection that was
// open never takes one that knows less than it has seen (_min_index of Open vSwitch's python/ovs/db/idl.py), so that
// agents end when one is formed anew, and others begin.
func database(obj client.Object) string {
	o, ok := obj.(*infrav1.OVN)
	if !ok {
		return ""
	}
	return fmt.Sprintln(o.UID, max(o.Status.Southbound.Epoch, 1), o.Status.Southbound.Connection)
}

// metadata runs the agent on each host. For each network with servers it makes a namespace with a proxy in it. They
// end with its pod, and the next one makes them again.
func metadata(s *scope) ([]client.Object, error) {
	b := s.Owner()
	own, err := answers(s)
	if err != nil {
		return nil, err
	}
	file, err := over(own, b.Spec.Release, imageMetadata, "spec.agents.metadata.config", b.Spec.Agents.Metadata.Config)
	if err != nil {
		return nil, &outcome.Error{Class: outcome.Invalid, Reason: "InvalidConfig", Err: err}
	}
	made := &corev1.Secret{ObjectMeta: meta(b, metadataName(b), "metadata"),
		Data: map[string][]byte{metadataFile: file.Bytes(), tellerFile: teller}}
	c, volumes := tellerOf(s)
	pod := template(b, "metadata", c, volumes...)
	pod.Annotations = map[string]string{annotationCell: s.Value(refShared, keyHash), annotationConfig: hashOf(made.Data),
		annotationClient: s.Digest(refOVNClient), annotationOVN: apply.Hash([]byte(database(s.Get(refOVN))))}
	pod.Spec.TerminationGracePeriodSeconds = new(int64(10))
	return append(daemons(s, metadataName(b), "metadata", pod), made), nil
}

// metadataRights are those of the agent and of what it starts: namespaces of networks, links into them, rules in them,
// and proxies that then become somebody else.
func metadataRights() []corev1.Capability {
	return []corev1.Capability{"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "KILL", "NET_ADMIN",
		"NET_BIND_SERVICE", "NET_RAW", "SETGID", "SETUID", "SYS_ADMIN", "SYS_PTRACE"}
}

// tellerOf is the container of the agent. Open vSwitch listens to root only.
func tellerOf(s *scope) (corev1.Container, []corev1.Volume) {
	b := s.Owner()
	c := running(s, imageMetadata)
	c.Command = []string{"tini", "--", "python3", metadataDir + "/" + tellerFile, "--config-file",
		metadataDir + "/" + metadataFile}
	c.Env = []corev1.EnvVar{field("OS_DEFAULT__HOST", "spec.nodeName"), {Name: "HOME", Value: "/tmp"},
		{Name: "PYTHONDONTWRITEBYTECODE", Value: "1"}}
	service.Inspect(&c, "sh", "-c", telling)
	c.SecurityContext = &corev1.SecurityContext{RunAsUser: new(int64(0)), ReadOnlyRootFilesystem: new(true),
		// AppArmor's usual profile forbids to mount namespaces, whatever the rights.
		AppArmorProfile: &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined},
		Capabilities:    &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: metadataRights()}}
	volumes, mounts := put([]place{{"tmp", "/tmp", ""}, {"run", "/run", ""}, {"state", neutronHome, ""},
		{"openvswitch", "/run/openvswitch", "/run/openvswitch"}})
	authority := secret("authority", sharedName(b))
	authority.Secret.Items = []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}
	c.VolumeMounts = mounts
	for name, path := range map[string]string{"authority": authorityDir, "config": metadataDir, "ovn": ovnDir} {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: path, ReadOnly: true})
	}
	slices.SortFunc(c.VolumeMounts, func(a, b corev1.VolumeMount) int { return cmp.Compare(a.MountPath, b.MountPath) })
	return c, append(volumes, authority, secret("config", metadataName(b)), secret("ovn", ovn.ClientSecret(b.Spec.OVN)))
}

// answers is the agent's configuration. It signs what it asks the cell's metadata API for.
func answers(s *scope) (*oslo.File, error) {
	where := asked(s.Get(refCell))
	if where == "" {
		cell := "NovaCell " + s.Owner().Spec.Cell
		return nil, &outcome.Missing{On: cell, Message: cell + " does not say where its API is yet; see its conditions."}
	}
	api, err := url.Parse(where)
	if err != nil || api.Hostname() == "" {
		return nil, fmt.Errorf("reading where NovaCell %s is: %q is no URL", s.Owner().Spec.Cell, where)
	}
	f := &oslo.File{}
	f.Set(oslo.Default, "state_path", neutronHome)
	f.Set(oslo.Default, "metadata_proxy_user", "neutron")
	f.Set(oslo.Default, "metadata_proxy_group", "neutron")
	f.Set(oslo.Default, "nova_metadata_protocol", api.Scheme)
	f.Set(oslo.Default, "nova_metadata_host", api.Hostname())
	f.Set(oslo.Default, "nova_metadata_port", cmp.Or(api.Port(), "443"))
	f.Set(oslo.Default, "auth_ca_cert", authorityDir+"/ca.crt")
	f.Set(oslo.Default, "metadata_proxy_shared_secret", oslo.Literal(s.Value(refPassword, service.KeyPassword)))
	f.Set("agent", "root_helper", "")
	f.Set("oslo_concurrency", "lock_path", neutronHome+"/lock")
	f.Set("ovs", "ovsdb_connection", "unix:/run/openvswitch/db.sock")
	f.Set("ovn", "ovn_sb_connection", connection(s.Get(refOVN)))
	f.Set("ovn", "ovn_sb_private_key", ovnDir+"/tls.key")
	f.Set("ovn", "ovn_sb_certificate", ovnDir+"/tls.crt")
	f.Set("ovn", "ovn_sb_ca_cert", ovnDir+"/ca.crt")
	// A database that is away is tried again soon, not after three minutes.
	f.Set("ovn", "ovsdb_retry_max_interval", 10)
	return f, nil
}
