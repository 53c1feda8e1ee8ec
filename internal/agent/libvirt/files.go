package libvirt

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// daemonConf of libvirtd. Nobody but root and processes that have the folder of its socket mounted reach it.
const daemonConf = `unix_sock_group = "nova"
unix_sock_rw_perms = "0770"
auth_unix_ro = "none"
auth_unix_rw = "none"
log_outputs = "3:stderr"
host_uuid = "%s"
`

// listenConf of libvirtd lets other hosts in that have a certificate of the same authority. Its files are where libvirt
// looks for them by itself.
const listenConf = `listen_tls = 1
listen_tcp = 0
listen_addr = "%s"
auth_tls = "none"
`

// moveConf of libvirtd has QEMU listen to servers that come at the host's address only, and to hosts that it knows by
// their certificate only. It shows screens to those only who have one of the cell's proxies.
const moveConf = `migration_address = "%[1]s"
migration_host = "%[1]s"
migration_port_min = 49152
migration_port_max = 49215
default_tls_x509_cert_dir = "%[2]s/qemu"
default_tls_x509_verify = 1
migrate_tls_force = 1
vnc_tls = 1
vnc_tls_x509_verify = 1
vnc_tls_x509_cert_dir = "%[2]s/vnc"
`

// guestConf of libvirtd. Guests live in the control group and the namespaces of libvirtd, without a daemon for their
// logs, as a daemon in the container would end with it. Who breaks out of one is a user of the node without rights.
const guestConf = `user = "+%d"
group = "+%d"
security_driver = "none"
cgroup_controllers = [ ]
namespaces = [ ]
stdio_handler = "file"
remember_owner = 0
`

func (c Config) path(elements ...string) string {
	return filepath.Join(append([]string{c.Folder}, elements...)...)
}

// prepare makes the folders and files that libvirtd and Nova expect.
func (c Config) prepare() error {
	for _, folder := range []string{"etc/libvirt/qemu", "etc/libvirt/secrets", "run/libvirt", "var/lib/libvirt"} {
		if err := os.MkdirAll(c.path(folder), 0o755); err != nil {
			return fmt.Errorf("making libvirt's folders: %w", err)
		}
	}
	for _, folder := range []string{"var/lib/nova", "var/lib/nova/instances"} {
		if err := os.MkdirAll(c.path(folder), 0o755); err != nil {
			return fmt.Errorf("making Nova's folders: %w", err)
		}
		if err := os.Chown(c.path(folder), c.Owner, c.Owner); err != nil {
			return fmt.Errorf("giving Nova its folders: %w", err)
		}
	}
	if err := c.secrets(); err != nil {
		return err
	}
	id, err := c.identity()
	if err != nil {
		return err
	}
	daemon, guest := fmt.Sprintf(daemonConf, id), fmt.Sprintf(guestConf, c.Guests, c.group())
	if c.Address != "" {
		daemon += fmt.Sprintf(listenConf, c.Address)
		guest += fmt.Sprintf(moveConf, c.Address, c.path(ofGuests))
		if err := c.share(); err != nil {
			return err
		}
	}
	for name, content := range map[string]string{FileDaemon: daemon, FileGuests: guest} {
		asked, err := c.asked(name)
		if err == nil {
			err = os.WriteFile(c.path("etc/libvirt", name), append([]byte(content), asked...), 0o600)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// group is that of guests: the one of the node's /dev/kvm, whose number no two distributions agree on, or their user's
// where it opens the device to nobody more.
func (c Config) group() int {
	info, err := os.Stat(c.path("dev/kvm"))
	if err != nil {
		return c.Guests
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !admits(info.Mode()) {
		return c.Guests
	}
	return int(owner.Gid)
}

// admits tells whether a device is its group's, and not everybody's.
func admits(mode fs.FileMode) bool { return mode.Perm()&0o060 == 0o060 && mode.Perm()&0o006 != 0o006 }

// asked is what a person has added to a file. Nothing in it is set above: of two values libvirt takes the first.
func (c Config) asked(name string) ([]byte, error) {
	if c.Options == "" {
		return nil, nil
	}
	asked, err := os.ReadFile(filepath.Join(c.Options, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return asked, err
}

// secretXML is what libvirtd is to know of a key: it tells it to nobody.
const secretXML = `<secret ephemeral="no" private="yes">
  <uuid>%[1]s</uuid>
  <usage type="ceph"><name>stackwright %[1]s</name></usage>
</secret>
`

// secrets writes the keys as libvirtd keeps them, see its src/conf/virsecretobj.c: one file says what the key is, and
// another is the key, in base64, as it is when it comes from Ceph.
func (c Config) secrets() error {
	if c.Keys == "" {
		return nil
	}
	keys, err := os.ReadDir(c.Keys)
	if err != nil {
		return fmt.Errorf("looking for keys of Cephs: %w", err)
	}
	for _, k := range keys {
		// A volume of a Secret has folders beside the files.
		if strings.HasPrefix(k.Name(), ".") {
			continue
		}
		key, err := os.ReadFile(filepath.Join(c.Keys, k.Name()))
		if err != nil {
			return fmt.Errorf("reading a key of a Ceph: %w", err)
		}
		for suffix, content := range map[string][]byte{".xml": fmt.Appendf(nil, secretXML, k.Name()), ".base64": key} {
			if err := os.WriteFile(c.path("etc/libvirt/secrets", k.Name()+suffix), content, 0o600); err != nil {
				return fmt.Errorf("giving libvirtd a key of a Ceph: %w", err)
			}
		}
	}
	return nil
}

// identity is a number that no other host has, and that stays. What the firmware says is the same on machines that were
// copied, and then guests cannot move between them.
func (c Config) identity() (string, error) {
	file := c.path("etc/libvirt/host-uuid")
	have, err := os.ReadFile(file)
	if err == nil {
		return strings.TrimSpace(string(have)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the host's identity: %w", err)
	}
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	id := fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	if err := os.WriteFile(file+".new", []byte(id+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("writing the host's identity: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return "", fmt.Errorf("keeping the host's identity: %w", err)
	}
	return id, nil
}
