package buildingblock

import (
	"bytes"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/ref"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// keysDir has the keys of Cephs for libvirtd, in files that are called by their ids.
const keysDir = "/etc/stackwright/keys"

func keysName(b object) string { return b.Name + "-keys" }

// onCeph tells whether servers have volumes or disks in a Ceph.
func onCeph(b object) bool { return len(cephs(b)) > 0 || disksOf(b) != nil }

// keyRefs are the Secrets of the Cephs, and the one that the block makes of them.
func keyRefs() []ref.Ref[object] {
	name := func(b object) string {
		if !onCeph(b) {
			return ""
		}
		return keysName(b)
	}
	return append(service.CephRefs(cephs), diskRef(), ref.Local(refKeys, &corev1.Secret{}, name),
		ref.Local(refKeysBefore, &corev1.Secret{}, name, ref.Optional[object]()))
}

func cephs(b object) []*servicev1.Ceph {
	if b.Spec.Libvirt == nil {
		return nil
	}
	var out []*servicev1.Ceph
	for _, c := range b.Spec.Libvirt.Ceph {
		out = append(out, &servicev1.Ceph{Secret: c.Secret, User: c.User})
	}
	return out
}

// keys writes down what libvirtd needs to know of Cephs. Nova names the key of a volume by the id that Cinder told it,
// and that of a disk by the one in its own configuration; both are made of what the Secret says.
func keys(s *scope) ([]client.Object, error) {
	b := s.Owner()
	if err := taken(s, refKeysBefore); err != nil {
		return nil, err
	}
	known, err := users(s)
	if err != nil {
		return nil, err
	}
	if err := service.OneKeyEach(known); err != nil {
		return nil, err
	}
	data := map[string][]byte{}
	for _, user := range known {
		data[user.Secret] = user.Key
	}
	for id, key := range nameless(known, s.Content(refKeysBefore)) {
		if data[id] == nil {
			data[id] = key
		}
	}
	return []client.Object{&corev1.Secret{ObjectMeta: meta(b, keysName(b), "libvirt"), Data: data}}, nil
}

// nameless are keys under the ids that they had before their Secrets said of which Ceph they are. Servers remember the
// id of a volume from when it was attached: Nova asks Cinder again when they move, not when they start.
func nameless(known []*service.CephAccess, before map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for _, user := range known {
		id := service.SecretID("", user.User)
		other := func(u *service.CephAccess) bool { return u.User == user.User && !bytes.Equal(u.Key, user.Key) }
		if old := before[id]; old != nil && (bytes.Equal(old, user.Key) || !slices.ContainsFunc(known, other)) {
			out[id] = user.Key
		}
	}
	return out
}
