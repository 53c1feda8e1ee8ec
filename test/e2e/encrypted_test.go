//go:build e2e

package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// counting is what a server does that counts on each volume how often it has come.
const counting = `#!/bin/sh
(
  while :; do
    # By its serial, which of the server's disks only a volume has.
    until serial=$(grep -l . /sys/block/vd*/serial 2>/dev/null | head -n 1); [ -n "$serial" ]; do sleep 1; done
    at=${serial%/serial} disk=/dev/${at##*/}
    before=$(dd if="$disk" bs=64 count=1 2>/dev/null | tr -d '\0' | sed -n 's/^kept: time //p')
    echo "kept: time $((${before:-0} + 1))" | dd of="$disk" bs=4k conv=sync,fsync 2>/dev/null
    echo 3 >/proc/sys/vm/drop_caches
    echo "### volume $(cat "$serial") of $(($(cat "$at/size") / 2097152)) GiB has $(head -n 1 "$disk")"
    while [ -e "$at" ]; do sleep 1; done
  done
) >/dev/console 2>&1 &
`

// sealed is the type of encrypted volumes.
const sealed = "sealed"

// A volume of an encrypted type has a key in Barbican, which its project owns. QEMU on the host writes the volume by
// that key, so that a server finds on it what it wrote, and Ceph has nothing of it in the clear. The server has it
// again after it was taken away, and when libvirtd is another one that knows no key. A copy of it has a key of its own.
// Who wants one needs no role but member. When a volume is deleted, by whomever, its key is gone.
func TestVolumesAreEncrypted(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := stored(w, func(s *controlplanev1.Services) { s.Barbican = &controlplanev1.BarbicanService{} })
	w.Ready(story.UpToReady, &servicev1.Barbican{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace,
		Name: "openstack-barbican"}})
	sealedType(w)
	memberSeals(w)
	rack, remove := scripted(f, counting, func(b *fleetv1.BuildingBlock) {
		b.Spec.Libvirt = &fleetv1.Libvirt{Ceph: []fleetv1.CephUser{{Secret: "ceph-cinder"}}}
	})

	s := &storage{World: w, cp: w.Cloud()}
	kept := s.sealed("kept", openstackv1.VolumeResource{Size: 1})
	w.Eventually(time.Minute, "the project has its key", keyed(w, "aes 256"))
	comes(w, kept, 1)
	f.decrypts("web")
	f.clear(kept)
	leaves(w, kept)
	copied := s.sealed("copied", openstackv1.VolumeResource{Size: 1, SourceVolumeRef: &openstackv1.Reference{
		Name: kept.Name}})
	w.Eventually(time.Minute, "a copy has a key of its own", keyed(w, "aes 256\naes 256"))
	comes(w, copied, 2)
	leaves(w, copied)
	s.drop(copied)
	w.Eventually(time.Minute, "that key is gone with the copy", keyed(w, "aes 256"))

	comes(w, kept, 2)
	t.Logf("%d pods of libvirt were killed", f.KillAll(2*time.Minute, f.namespace, rack.Name+"-libvirt-"))
	w.Ready(2*time.Minute, rack)
	w.OpenStack("server", "reboot", "--hard", "--wait", "web")
	w.Eventually(2*time.Minute, "a new start has the volume", counted(w, kept, 3))
	leaves(w, kept)
	s.drop(kept)
	w.Eventually(time.Minute, "the key is gone with the volume", keyed(w, ""))
	remove()
}

// sealedType makes the type, and takes it away again after all volumes.
func sealedType(w *story.World) {
	w.Helper()
	w.OpenStack("volume", "type", "create", "--property", "volume_backend_name=rbd", "--encryption-provider", "luks",
		"--encryption-cipher", "aes-xts-plain64", "--encryption-key-size", "256", "--encryption-control-location",
		"front-end", sealed)
	w.Cleanup(func() {
		w.Leave()
		if _, err := w.Cluster.Stackwright(context.WithoutCancel(w.Context()), "openstack", "volume", "type", "delete",
			sealed); err != nil {
			w.Errorf("cleaning up: %v", err)
		}
	})
}

// memberSeals lets somebody without a role but member have an encrypted volume, which an administrator deletes whose
// project is another one.
func memberSeals(w *story.World) {
	w.Helper()
	password := rand.Text()
	w.OpenStack("project", "create", "safe")
	w.OpenStack("user", "create", "--password", password, "clerk")
	w.OpenStack("role", "add", "--project", "safe", "--user", "clerk", "member")
	w.Cleanup(func() {
		for _, what := range [][]string{{"user", "clerk"}, {"project", "safe"}} {
			if _, err := w.Cluster.Stackwright(context.WithoutCancel(w.Context()), "openstack", what[0], "delete",
				what[1]); err != nil {
				w.Errorf("cleaning up: %v", err)
			}
		}
	})
	as := func(command ...string) []string {
		return append([]string{"--os-username", "clerk", "--os-password", password, "--os-project-name", "safe"},
			command...)
	}
	id := w.OpenStack(as("volume", "create", "--type", sealed, "--size", "1", "-f", "value", "-c", "id", "till")...)
	w.Eventually(2*time.Minute, "a member's volume is there",
		w.Prints("available", as("volume", "show", "-f", "value", "-c", "status", id)...))
	w.Eventually(time.Minute, "the member's project has its key", keyed(w, "aes 256", as()...))
	w.Eventually(time.Minute, "another project has not", keyed(w, ""))
	w.OpenStack("volume", "delete", id)
	w.Eventually(2*time.Minute, "the member's volume is gone", func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, append([]string{"openstack"}, as("volume", "list", "-f", "value")...)...)
		if err == nil && strings.TrimSpace(out) != "" {
			err = errors.New("there is " + out)
		}
		return err
	})
	w.Eventually(time.Minute, "its key is gone", keyed(w, "", as()...))
}

// keyed checks which keys a project has in Barbican for volumes, each as its cipher and its bits. Without keys the
// client knows no columns.
func keyed(w *story.World, want string, as ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, append(append([]string{"openstack"}, as...), "secret", "list",
			"--algorithm", "aes", "-f", "json")...)
		var keys []struct {
			Algorithm string
			Bits      int `json:"Bit length"`
		}
		if err == nil {
			err = json.Unmarshal([]byte(out), &keys)
		}
		if err != nil {
			return err
		}
		var got []string
		for _, k := range keys {
			got = append(got, fmt.Sprintf("%s %d", k.Algorithm, k.Bits))
		}
		if list := strings.Join(got, "\n"); list != want {
			return fmt.Errorf("the keys are %q, want %q", list, want)
		}
		return nil
	}
}

// sealed makes a volume that is encrypted.
func (s *storage) sealed(name string, r openstackv1.VolumeResource) *openstackv1.Volume {
	s.Helper()
	r.VolumeTypeRef = &openstackv1.Reference{External: &openstackv1.External{Name: sealed}}
	v := s.volume(name, r)
	s.Logf("%s is there after %s", name, s.Ready(2*time.Minute, v))
	return v
}

// drop deletes a volume.
func (s *storage) drop(v *openstackv1.Volume) {
	s.Helper()
	if err := s.Delete(s.Context(), v); err != nil {
		s.Fatal(err)
	}
	s.Gone(2*time.Minute, v)
}

// attached is that the server has a volume.
func attached(v *openstackv1.Volume) *openstackv1.ServerVolumeAttachment {
	a := &openstackv1.ServerVolumeAttachment{ObjectMeta: metav1.ObjectMeta{Namespace: v.Namespace, Name: v.Name}}
	a.Spec.Resource = &openstackv1.ServerVolumeAttachmentResource{ServerRef: openstackv1.Reference{Name: "web"},
		VolumeRef: openstackv1.Reference{Name: v.Name}}
	return a
}

// comes gives a volume to the server, which says how often it has come.
func comes(w *story.World, v *openstackv1.Volume, times int) {
	w.Helper()
	w.Apply(attached(v))
	w.Ready(2*time.Minute, attached(v))
	w.Eventually(2*time.Minute, "the server has volume "+v.Name, counted(w, v, times))
}

// leaves takes a volume away from the server.
func leaves(w *story.World, v *openstackv1.Volume) {
	w.Helper()
	if err := w.Delete(w.Context(), attached(v)); err != nil {
		w.Fatal(err)
	}
	w.Gone(2*time.Minute, attached(v))
}

// counted checks that the server has said what it has read from a volume after it wrote it. Of the volume's id a disk
// has the first 20 characters.
func counted(w *story.World, v *openstackv1.Volume, times int) func(context.Context) error {
	return w.Prints(fmt.Sprintf("### volume %.20s of 1 GiB has kept: time %d", v.Status.ID, times), "console", "log",
		"show", "web")
}

// decrypts checks that QEMU does so for a server, by a secret that libvirt has, and not the kernel of the host.
func (f fleet) decrypts(server string) {
	f.Helper()
	guest := f.OpenStack("server", "show", server, "-f", "value", "-c", "OS-EXT-SRV-ATTR:instance_name")
	xml, err := f.libvirt(f.Context(), "virsh", "--connect", "qemu:///system", "dumpxml", guest)
	if err != nil {
		f.Fatal(err)
	}
	for _, want := range []string{"<encryption format='luks'", "<secret type='passphrase' uuid="} {
		if !strings.Contains(xml, want) {
			f.Errorf("the guest has no %s:\n%s", want, xml)
		}
	}
}

// clear reads the beginning of a volume as Ceph has it: it is one of LUKS, and nothing in it is what the server wrote.
func (f fleet) clear(volume *openstackv1.Volume) {
	f.Helper()
	const script = `timeout 60 rbd --id=cinder --conf=/etc/stackwright/config/ceph-rbd.conf export --no-progress "$0" - |
head -c 16777216 | { head -c 4; echo; grep -ac 'kept: time'; }; true`
	out, err := f.Cluster.Kubectl(f.Context(), "-n", f.namespace, "exec", "openstack-cinder-volume-rbd-0", "--", "sh",
		"-c", script, "volumes/volume-"+volume.Status.ID)
	if err != nil {
		f.Fatal(err)
	}
	if strings.TrimSpace(out) != "LUKS\n0" {
		f.Errorf("the volume begins with, and shows of what the server wrote: %q", out)
	}
}
