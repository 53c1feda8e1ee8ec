package cinder

import (
	"fmt"
	"maps"
	"strings"

	"stackwright.dev/kit/outcome"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

const mountBase = home + "/mnt"

// options sets what differs from upstream's defaults.
func options(s *scope, f *oslo.File) {
	c := s.Owner()
	f.Set(oslo.Default, "state_path", home)
	f.Set("oslo_concurrency", "lock_path", home+"/lock")
	f.Set(oslo.Default, "api_paste_config", "/usr/share/cinder-common/api-paste.ini")
	f.Set(oslo.Default, "glance_catalog_info", "image:glance:internalURL")
	if ca, ok := f.Value("nova", "cafile"); ok {
		f.Set(oslo.Default, "glance_ca_certificates_file", ca)
	}
	// A program that stops ends what it has begun. The kubelet, and no clock of its own, says for how long.
	f.Set(oslo.Default, "graceful_shutdown_timeout", 0)
	f.Set("nova", "interface", "internal")
	f.Set("service_user", "send_service_user_token", true)
	if c.Spec.Notifications {
		service.Notify(f)
	}
	if len(c.Spec.Backends) > 0 {
		f.Set(oslo.Default, "default_volume_type", c.Spec.Backends[0].Name)
	}
	for i, b := range c.Spec.Backends {
		f.Set(b.Name, "volume_backend_name", b.Name)
		switch {
		case b.RBD != nil:
			rbd(s, f, i, b)
		case b.NFS != nil:
			nfs(f, b)
		default:
			f.Set(b.Name, "volume_driver", b.Driver)
		}
	}
	if c.Spec.Backup != nil {
		keep(s, f)
	}
}

func rbd(s *scope, f *oslo.File, i int, b servicev1.CinderBackend) {
	f.Set(b.Name, "volume_driver", "cinder.volume.drivers.rbd.RBDDriver")
	f.Set(b.Name, "rbd_pool", b.RBD.Pool)
	// What is wrong with the Secret is told by keys.
	a, err := access(s, i)
	if err != nil {
		return
	}
	f.Set(b.Name, "rbd_user", a.User)
	f.Set(b.Name, "rbd_ceph_conf", a.Conf())
	f.Set(b.Name, "rbd_secret_uuid", a.Secret)
	f.Set(b.Name, "report_discard_supported", true)
}

// nfs runs the driver as a user without rights: it may write what belongs to it and mounts nothing.
func nfs(f *oslo.File, b servicev1.CinderBackend) {
	f.Set(b.Name, "volume_driver", "cinder.volume.drivers.nfs.NfsDriver")
	f.Set(b.Name, "nfs_shares_config", service.Folder+"/config/"+sharesFile(b.Name))
	f.Set(b.Name, "nfs_mount_point_base", mountBase)
	f.Set(b.Name, "nas_secure_file_operations", true)
	f.Set(b.Name, "nas_secure_file_permissions", true)
	f.Set(b.Name, "nfs_snapshot_support", true)
}

func sharesFile(backend string) string { return "nfs-" + backend + ".shares" }

// keep says where copies of volumes go.
func keep(s *scope, f *oslo.File) {
	f.Set(oslo.Default, "backup_driver", "cinder.backup.drivers.ceph.CephBackupDriver")
	f.Set(oslo.Default, "backup_ceph_pool", s.Owner().Spec.Backup.RBD.Pool)
	if a, err := access(s, maxBackends); err == nil {
		f.Set(oslo.Default, "backup_ceph_user", a.User)
		f.Set(oslo.Default, "backup_ceph_conf", a.Conf())
	}
}

// maxBackends is how many back ends there can be, as the schema says; the Ceph after theirs is that of backups.
const maxBackends = service.MaxCephs - 1

// cephs are those of the back ends, each at its place, and that of backups.
func cephs(c *cinder) []*servicev1.Ceph {
	out := make([]*servicev1.Ceph, service.MaxCephs)
	for i, b := range c.Spec.Backends {
		out[i] = b.RBD
	}
	if c.Spec.Backup != nil {
		out[maxBackends] = c.Spec.Backup.RBD
	}
	return out
}

// access to the Ceph at a place of that list. Its files are named after the back end.
func access(s *scope, i int) (*service.CephAccess, error) {
	c, name := s.Owner(), backup+".d"
	if i < maxBackends {
		name = c.Spec.Backends[i].Name
	}
	return service.NewCephAccess(name, cephs(c)[i], s.Content(service.RefCeph(i)))
}

// sections of back ends take the options of drivers. Nobody knows those of a driver that is not Cinder's own.
func sections(c *cinder) map[string]oslo.Section {
	out := map[string]oslo.Section{}
	for _, b := range c.Spec.Backends {
		out[b.Name] = oslo.Section{Like: "backend_defaults"}
		if b.Driver != "" && !strings.HasPrefix(b.Driver, "cinder.") {
			out[b.Name] = oslo.Section{}
		}
	}
	return out
}

// files lie beside the configuration file.
func files(c *cinder) map[string][]byte {
	out := map[string][]byte{programFile: program, launcherFile: launcher, copierFile: copier, openerFile: opener}
	for _, b := range c.Spec.Backends {
		if b.NFS != nil {
			out[sharesFile(b.Name)] = []byte(strings.Join(b.NFS.Shares, "\n") + "\n")
		}
	}
	return out
}

// disks begins the names of the drivers of volumes that are parts of one node's own disks (ADR 0065).
const disks = "cinder.volume.drivers.lvm."

// keys are what the programs know Cephs by. What cannot work, and what hosts cannot tell apart, is refused before
// volumes are made.
func keys(s *scope) (map[string][]byte, error) {
	for _, b := range s.Owner().Spec.Backends {
		if strings.HasPrefix(b.Driver, disks) {
			return nil, &outcome.Error{Class: outcome.Invalid, Reason: "InvalidBackend", Err: fmt.Errorf(
				"back end %s is of LVM, which takes root and the disks of one node, and pods have neither; keep volumes "+
					"in a Ceph with rbd, or name the driver of a storage that is reached over the network", b.Name)}
		}
	}
	out, attached := map[string][]byte{}, []*service.CephAccess{}
	for i, ceph := range cephs(s.Owner()) {
		if ceph == nil {
			continue
		}
		a, err := access(s, i)
		if err != nil {
			return nil, err
		}
		if i < maxBackends {
			attached = append(attached, a)
		}
		maps.Copy(out, a.Files())
	}
	return out, service.OneKeyEach(attached)
}
