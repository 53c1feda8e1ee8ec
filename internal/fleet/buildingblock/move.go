package buildingblock

import (
	"net"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/nodes"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// pkiDir is where libvirt and QEMU look for certificates by themselves.
const pkiDir = "/etc/pki"

func authorityName(b object) string { return b.Name + "-hosts-ca" }
func identityName(b object) string  { return b.Name + "-hosts-tls" }
func screensName(b object) string   { return b.Name + "-screens-tls" }

func authorityRef() ref.Ref[object] {
	return ref.Local(refAuthority, &corev1.Secret{}, func(b object) string {
		if fake(b) {
			return ""
		}
		return authorityName(b)
	}, ref.Fields[object](pki.CertKey, pki.KeyKey))
}

// screensRef is the authority of a cell for screens.
func screensRef() ref.Ref[object] {
	return ref.Local(refScreens, &corev1.Secret{}, func(b object) string {
		if fake(b) {
			return ""
		}
		return b.Spec.Cell + "-console-ca"
	}, ref.Fields[object](pki.CertKey, pki.KeyKey))
}

// identity are the steps that make the certificate by which the hosts of a block know each other, of an authority that
// knows nobody else. It is one for all: who is one of them can start and stop what runs on the others.
func identity() []step.Step[object] {
	return []step.Step[object]{
		pki.CA(stepAuthority, authorityName, onNodes),
		pki.Leaf(stepIdentity, pki.LeafSpec[object]{Secret: identityName, CARef: refAuthority,
			Names: func(b object) []string { return []string{libvirtName(b)} }, Also: addresses},
			step.After[object](stepAuthority, stepNodes), step.When(onNodes), step.Reads[object](refNodes, refHosts),
			step.Condition[object]("HostsTLSReady")),
		// By this one QEMU shows screens to the proxies of the cell, whose authority knows nobody but them and hosts.
		pki.Leaf(stepScreens, pki.LeafSpec[object]{Secret: screensName, CARef: refScreens,
			Names: func(b object) []string { return []string{libvirtName(b)} }},
			step.When(onNodes), step.Condition[object]("HostsTLSReady")),
	}
}

// addresses are those of all hosts of the block, by which they call each other.
func addresses(s *scope) []string {
	var out []string
	ours := members(s)
	for _, o := range s.All(refNodes) {
		if n, ok := o.(*corev1.Node); ok && slices.Contains(ours, n.Name) {
			out = append(out, internal(n)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// internal are the addresses of a node from which pods on its network take theirs.
func internal(n *corev1.Node) []string {
	var out []string
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP && net.ParseIP(a.Address) != nil {
			out = append(out, a.Address)
		}
	}
	return out
}

// place of a node: whether it is selected, who may come to it, and where it is.
func whereabouts(obj client.Object) string {
	if n, ok := obj.(*corev1.Node); ok {
		return strings.Join([]string{nodes.Digest(n), nodes.Taints(n), strings.Join(internal(n), " ")}, "\x00")
	}
	return nodes.Digest(obj)
}

// moves has servers move between hosts by connections that both ends prove who they are: those of libvirt, by which a
// host gives orders to another, and those of QEMU, by which memory goes. The address that a host is called at is in the
// environment.
func moves(f *oslo.File) {
	f.Set("libvirt", "live_migration_scheme", "tls")
	f.Set("libvirt", "live_migration_with_native_tls", true)
}

// identities are the files of the certificates where libvirt and QEMU look for them.
func identities(b object) corev1.Volume {
	sources := []corev1.VolumeProjection{
		files(identityName(b), map[string][]string{
			pki.CAKey:   {"CA/cacert.pem", "qemu/ca-cert.pem"},
			pki.CertKey: {"libvirt/servercert.pem", "libvirt/clientcert.pem", "qemu/server-cert.pem", "qemu/client-cert.pem"},
			pki.KeyKey: {"libvirt/private/serverkey.pem", "libvirt/private/clientkey.pem", "qemu/server-key.pem",
				"qemu/client-key.pem"},
		}),
		files(screensName(b), map[string][]string{
			pki.CAKey: {"vnc/ca-cert.pem"}, pki.CertKey: {"vnc/server-cert.pem"}, pki.KeyKey: {"vnc/server-key.pem"},
		}),
	}
	return corev1.Volume{Name: "identity", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: sources, DefaultMode: secret("", "").Secret.DefaultMode}}}
}

// files are those of a Secret, each key at some paths.
func files(name string, keys map[string][]string) corev1.VolumeProjection {
	from := &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: name}}
	for key, paths := range keys {
		for _, p := range paths {
			from.Items = append(from.Items, corev1.KeyToPath{Key: key, Path: p})
		}
	}
	slices.SortFunc(from.Items, func(a, b corev1.KeyToPath) int { return strings.Compare(a.Path, b.Path) })
	return corev1.VolumeProjection{Secret: from}
}
