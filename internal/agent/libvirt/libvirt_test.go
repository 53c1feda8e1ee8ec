package libvirt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Both versions of the kernel's control groups, and both ways in which a kubelet names those of its pods.
func TestGuestsAreBesidePods(t *testing.T) {
	for name, c := range map[string]struct {
		own, entered string
		trees        []string
	}{
		"version 1": {"4:memory:/kubepods/burstable/pod1/c1\n3:cpu,cpuacct:/kubepods/burstable/pod1/c1\n0::/\n",
			"memory/stackwright-guests cpu,cpuacct/stackwright-guests", []string{"memory", "cpu,cpuacct"}},
		"a named tree": {"1:name=systemd:/kubepods/besteffort/pod1/c1\n", "systemd/stackwright-guests", []string{"systemd"}},
		"within a group": {"4:memory:/devcluster/dev/node-1/kubepods/pod1/c1\n",
			"memory/devcluster/dev/node-1/stackwright-guests", []string{"memory/devcluster/dev/node-1", "memory"}},
		"version 2": {"0::/kubepods.slice/kubepods-pod1.slice/cri-1.scope\n", "stackwright-guests", []string{"."}},
		"both":      {"0::/kubepods/pod1/c1\n", "unified/stackwright-guests", []string{"unified"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, tree := range c.trees {
				write(t, filepath.Join(root, tree, "cgroup.procs"), "")
				write(t, filepath.Join(root, tree, "cpuset.cpus"), "0-7")
			}
			if err := enter(root, c.own, 42); err != nil {
				t.Fatal(err)
			}
			for group := range strings.FieldsSeq(c.entered) {
				if got := content(t, filepath.Join(root, group, "cgroup.procs")); got != "42" {
					t.Errorf("in %s is process %q, want 42", group, got)
				}
				if got := content(t, filepath.Join(root, group, "cpuset.cpus")); got != "0-7" {
					t.Errorf("%s has processors %q, want those of its parent", group, got)
				}
			}
		})
	}
}

func TestWhoIsInNoPodIsTold(t *testing.T) {
	for name, own := range map[string]string{"the root": "0::/\n", "a service": "0::/system.slice/libvirtd.service\n"} {
		if err := enter(t.TempDir(), own, 42); !errors.Is(err, errNoPod) {
			t.Errorf("%s: the error is %v, want %v", name, err, errNoPod)
		}
	}
	if err := enter(t.TempDir(), "garbage\n", 42); err == nil || errors.Is(err, errNoPod) {
		t.Errorf("of garbage the error is %v", err)
	}
}

// The identity of a host stays, and no other host has it.
func TestFilesOfAHost(t *testing.T) {
	c := Config{Folder: t.TempDir(), Owner: os.Getuid(), Guests: os.Getuid()}
	for range 2 {
		if err := c.prepare(); err != nil {
			t.Fatal(err)
		}
	}
	first := content(t, c.path("etc/libvirt/libvirtd.conf"))
	id := strings.TrimSpace(content(t, c.path("etc/libvirt/host-uuid")))
	if !strings.Contains(first, `host_uuid = "`+id+`"`) {
		t.Errorf("the identity is %s, and libvirtd has\n%s", id, first)
	}
	other := Config{Folder: t.TempDir(), Owner: os.Getuid(), Guests: os.Getuid()}
	if err := other.prepare(); err != nil {
		t.Fatal(err)
	}
	if content(t, other.path("etc/libvirt/host-uuid")) == content(t, c.path("etc/libvirt/host-uuid")) {
		t.Error("two hosts have the same identity")
	}
	if info, err := os.Stat(c.path("var/lib/nova/instances")); err != nil || !info.IsDir() {
		t.Errorf("there is no folder for guests: %v", err)
	}
}

// libvirtd listens to other hosts at its address only, and to those with a certificate only; nobody is called in the
// clear. Without an address it listens to nobody.
func TestWhoHostsListenTo(t *testing.T) {
	c := Config{Folder: t.TempDir(), Owner: os.Getuid(), Guests: os.Getuid()}
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, c.path("etc/libvirt/libvirtd.conf")); strings.Contains(got, "listen") {
		t.Errorf("without an address libvirtd has\n%s", got)
	}
	c.Address, c.PKI = "10.0.0.1", t.TempDir()
	if err := c.prepare(); err == nil || !strings.Contains(err.Error(), "reading the certificates of guests") {
		t.Errorf("without certificates the error is %v", err)
	}
	certificates(t, c.PKI, "hidden")
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	guests := c.path("etc/stackwright/pki")
	for file, lines := range map[string][]string{
		"libvirtd.conf": {"listen_tls = 1", "listen_tcp = 0", `listen_addr = "10.0.0.1"`},
		"qemu.conf": {`migration_address = "10.0.0.1"`, "migrate_tls_force = 1", "default_tls_x509_verify = 1",
			`default_tls_x509_cert_dir = "` + guests + `/qemu"`, "vnc_tls = 1", "vnc_tls_x509_verify = 1",
			`vnc_tls_x509_cert_dir = "` + guests + `/vnc"`},
	} {
		got := content(t, c.path("etc/libvirt", file))
		for _, line := range lines {
			if !strings.Contains(got, "\n"+line+"\n") {
				t.Errorf("%s has no line %s:\n%s", file, line, got)
			}
		}
	}
	for _, name := range []string{"qemu/client-key.pem", "vnc/server-key.pem"} {
		info, err := os.Stat(filepath.Join(guests, name))
		if err != nil || info.Mode().Perm() != 0o600 || content(t, filepath.Join(guests, name)) != "hidden" {
			t.Errorf("guests find %s as %v: %v", name, info, err)
		}
	}
}

// What a person asks for is behind what the agent writes, and a file that nobody asks for anything of is as it was.
func TestWhatIsAskedOfLibvirt(t *testing.T) {
	c := Config{Folder: t.TempDir(), Owner: os.Getuid(), Guests: os.Getuid(), Options: t.TempDir()}
	write(t, filepath.Join(c.Options, FileDaemon), "max_clients = 4321\n")
	for range 2 {
		if err := c.prepare(); err != nil {
			t.Fatal(err)
		}
	}
	daemon := content(t, c.path("etc/libvirt/libvirtd.conf"))
	if !strings.HasSuffix(daemon, "\nmax_clients = 4321\n") || strings.Count(daemon, "max_clients") != 1 ||
		!strings.HasPrefix(daemon, "unix_sock_group = ") {
		t.Errorf("libvirtd has\n%s", daemon)
	}
	if guests := content(t, c.path("etc/libvirt/qemu.conf")); !strings.HasSuffix(guests, "\nremember_owner = 0\n") {
		t.Errorf("of guests nothing is asked, and they have\n%s", guests)
	}
	c.Options = ""
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	if daemon := content(t, c.path("etc/libvirt/libvirtd.conf")); strings.Contains(daemon, "max_clients") {
		t.Errorf("nothing is asked any more, and libvirtd has\n%s", daemon)
	}
	c.Options = filepath.Join(c.path("etc/libvirt/libvirtd.conf"), "no-folder")
	if err := c.prepare(); err == nil {
		t.Error("a folder that cannot be read is not missed")
	}
}

// Of two values of an option libvirt takes the first and says nothing of the other: what the agent writes is its own.
func TestWhatTheAgentWritesIsItsOwn(t *testing.T) {
	for file, text := range map[string]string{FileDaemon: daemonConf + listenConf, FileGuests: guestConf + moveConf} {
		for line := range strings.Lines(text) {
			option, _, _ := strings.Cut(line, " = ")
			if Own(file, option) == "" {
				t.Errorf("%s of %s can be set by others, too", option, file)
			}
		}
	}
	for _, free := range [][2]string{{FileDaemon, "max_clients"}, {FileDaemon, "log_filters"}, {FileGuests, "max_core"},
		{FileGuests, "user_"}, {FileGuests, "max_clients"}} {
		if why := Own(free[0], free[1]); why != "" {
			t.Errorf("%s of %s is nobody's but the operator's: %s", free[1], free[0], why)
		}
	}
}

// certificates are all files of a folder of certificates, with one content.
func certificates(t *testing.T, folder, content string) {
	t.Helper()
	for _, name := range append(forDaemon(), forGuests()...) {
		write(t, filepath.Join(folder, name), content)
	}
}

// Guests see renewed certificates where they have been, as they know no other place as long as they run.
func TestGuestsSeeRenewedCertificates(t *testing.T) {
	c := Config{Folder: t.TempDir(), PKI: t.TempDir(), Guests: os.Getuid()}
	for _, age := range []string{"first", "second"} {
		certificates(t, c.PKI, age)
		if err := c.share(); err != nil {
			t.Fatal(err)
		}
		if got := content(t, c.path("etc/stackwright/pki/vnc/server-cert.pem")); got != age {
			t.Errorf("guests see the %s certificate, want the %s", got, age)
		}
	}
	if err := os.Remove(filepath.Join(c.PKI, "vnc/server-key.pem")); err != nil {
		t.Fatal(err)
	}
	if err := c.share(); err == nil {
		t.Error("a key that is not there is not missed")
	}
}

// Keys of Cephs are told to libvirtd and to nobody else; what a volume of a Secret has beside them is none.
func TestKeysOfCephs(t *testing.T) {
	const id = "0a3d1f0e-7c58-5d3c-8a2b-1f6e0d9c8b7a"
	c := Config{Folder: t.TempDir(), Owner: os.Getuid(), Guests: os.Getuid(), Keys: t.TempDir()}
	write(t, filepath.Join(c.Keys, "..data", id), "QVFBRA==")
	write(t, filepath.Join(c.Keys, id), "QVFBRA==")
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, c.path("etc/libvirt/secrets", id+".base64")); got != "QVFBRA==" {
		t.Errorf("the key is %q", got)
	}
	if got := content(t, c.path("etc/libvirt/secrets", id+".xml")); !strings.Contains(got, "<uuid>"+id+"</uuid>") ||
		!strings.Contains(got, `private="yes"`) {
		t.Errorf("the key is described by\n%s", got)
	}
	files, err := os.ReadDir(c.path("etc/libvirt/secrets"))
	if err != nil || len(files) != 2 {
		t.Errorf("libvirtd has the files %v, %v", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is open to others: %v, %v", f.Name(), info.Mode(), err)
		}
	}
	c.Keys = filepath.Join(c.Keys, "nowhere")
	if err := c.prepare(); err == nil {
		t.Error("keys that are not there are not missed")
	}
}

// A machine runs on KVM when its firmware has come to its end, and the reason why it does not is told.
func TestProbe(t *testing.T) {
	for name, c := range map[string]struct{ emulator, want, why string }{
		"works":   {"echo SeaBIOS; echo No bootable device.; exec sleep 60", hardware, "a machine started on KVM"},
		"refused": {"echo failed to set MSR >&2; exit 1", software, "no machine starts on KVM: failed to set MSR"},
		"silent":  {"exit 0", software, "no machine starts on KVM: its firmware hangs"},
	} {
		t.Run(name, func(t *testing.T) {
			emulator := filepath.Join(t.TempDir(), "qemu")
			write(t, emulator, "#!/bin/sh\n"+c.emulator+"\n")
			got, why := probe(t.Context(), emulator, nil)
			if got != c.want || why != c.why {
				t.Errorf("it is %s: %s; want %s: %s", got, why, c.want, c.why)
			}
		})
	}
	if got, why := probe(t.Context(), filepath.Join(t.TempDir(), "none"), nil); got != software {
		t.Errorf("without an emulator it is %s: %s", got, why)
	}
}

// A kernel that offers KVM on a processor which does not run guests is not tried: a machine may start by luck.
func TestKVMWithoutTheProcessorsHelp(t *testing.T) {
	folder := t.TempDir()
	emulator, cpuinfo := filepath.Join(folder, "qemu"), filepath.Join(folder, "cpuinfo")
	write(t, emulator, "#!/bin/sh\necho No bootable device.; exec sleep 60\n")
	for flags, want := range map[string]string{"fpu vmx sse": hardware, "fpu svm": hardware, "fpu hypervisor": software,
		"fpu vmxish": software, "": software} {
		write(t, cpuinfo, "processor\t: 0\nvmx flags\t: svm\nflags\t\t: "+flags+"\n\nprocessor\t: 1\n")
		if got, why := choose(t.Context(), cpuinfo, emulator, nil); got != want {
			t.Errorf("with the flags %q it is %s: %s; want %s", flags, got, why, want)
		}
	}
	if got, why := choose(t.Context(), filepath.Join(folder, "none"), emulator, nil); got != software {
		t.Errorf("of an unknown processor it is %s: %s", got, why)
	}
}

// Guests are of a user without rights, and of the group of the device that they run on, if it is its group's.
func TestWhoGuestsAre(t *testing.T) {
	c := Config{Folder: t.TempDir(), Owner: os.Getuid(), Guests: libvirtQEMU}
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	guests := content(t, c.path("etc/libvirt/qemu.conf"))
	if !strings.HasPrefix(guests, "user = \"+64055\"\ngroup = \"+64055\"\n") {
		t.Errorf("without a device guests are\n%s", guests)
	}
	write(t, c.path("dev/kvm"), "")
	for mode, want := range map[os.FileMode]int{0o660: os.Getgid(), 0o666: libvirtQEMU, 0o600: libvirtQEMU} {
		if err := os.Chmod(c.path("dev/kvm"), mode); err != nil {
			t.Fatal(err)
		}
		if got := c.group(); got != want {
			t.Errorf("with a device of mode %o the group is %d, want %d", mode, got, want)
		}
	}
}

// A daemon whose agent ended before it could ask to end with it does not begin.
func TestALateDaemonDoesNotBegin(t *testing.T) {
	if err := endWithParent(1 << 30); err == nil {
		t.Error("a parent that is gone is not noticed")
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
}
