package buildingblock

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/ref"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// disksOf is the Ceph that has the disks of servers, nil when they are files of hosts.
func disksOf(b object) *servicev1.Ceph {
	if b.Spec.Storage == nil {
		return nil
	}
	return &b.Spec.Storage.RBD
}

// diskRef is the reference to the Secret of that Ceph.
func diskRef() ref.Ref[object] {
	return ref.Local(refDisks, &corev1.Secret{}, func(b object) string {
		if c := disksOf(b); c != nil {
			return c.Secret
		}
		return ""
	})
}

// disks is what nova-compute knows that Ceph by, nil when there is none.
func disks(s *scope) (*service.CephAccess, error) {
	c := disksOf(s.Owner())
	if c == nil {
		return nil, nil
	}
	a, err := service.NewCephAccess("disks", c, s.Content(refDisks))
	if err != nil {
		return nil, err
	}
	return a.In(blockDir), nil
}

// keep has Nova make disks in the pool. It asks for flushes of what QEMU caches, so that a server that moves leaves
// nothing behind.
func keep(f *oslo.File, pool string, a *service.CephAccess) {
	f.Set("libvirt", "images_type", "rbd")
	f.Set("libvirt", "images_rbd_pool", pool)
	f.Set("libvirt", "images_rbd_ceph_conf", a.Conf())
	f.Set("libvirt", "rbd_user", a.User)
	f.Set("libvirt", "rbd_secret_uuid", a.Secret)
	f.Set("libvirt", "disk_cachemodes", "network=writeback")
	f.Set("libvirt", "hw_disk_discard", "unmap")
}

// one refuses options that say otherwise, or half, what spec.storage says: hosts would look for disks where there are
// none, or not know the key of the user.
func one(b object) error {
	asked := b.Spec.Config["libvirt"]
	if disksOf(b) == nil {
		if texts, _, err := asked["images_type"].Texts(); err == nil && slices.Contains(texts, "rbd") {
			return errors.New("spec.config.libvirt.images_type is rbd, and hosts do not know a Ceph by that; " +
				"say in spec.storage.rbd which pool it is")
		}
		return nil
	}
	for _, name := range []string{"images_type", "images_rbd_pool", "images_rbd_ceph_conf", "rbd_user",
		"rbd_secret_uuid"} {
		if _, ok := asked[name]; ok {
			return fmt.Errorf("spec.config.libvirt.%s says again where disks are; spec.storage does, take the option out", name)
		}
	}
	return nil
}

// users are all users of Cephs that libvirt has to know, each with what its Secret says.
func users(s *scope) ([]*service.CephAccess, error) {
	var out []*service.CephAccess
	add := func(c *servicev1.Ceph, ref string) error {
		user, err := service.NewCephUser(c, s.Content(ref))
		if err == nil {
			out = append(out, user)
		}
		return err
	}
	for i, c := range cephs(s.Owner()) {
		if err := add(c, service.RefCeph(i)); err != nil {
			return nil, err
		}
	}
	if c := disksOf(s.Owner()); c != nil {
		if err := add(c, refDisks); err != nil {
			return nil, err
		}
	}
	return out, nil
}
