package buildingblock

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/agent/libvirt"
	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
	"stackwright.dev/stackwright/releases"
)

// launcher starts nova-compute.
//
//go:embed stackwright_compute.py
var launcher []byte

// Files of the block's Secret. Nova reads all files of that folder that end in .yaml for what providers are.
const (
	configFile   = "block.conf"
	launcherFile = "stackwright_compute.py"
	providerFile = "provider.yaml"
)

// config checks the options that a person asks for, and writes what the hosts of the block have in common beside what
// they have in common with all of their cell.
func config(s *scope) ([]client.Object, error) {
	b := s.Owner()
	if err := taken(s, refBefore); err != nil {
		return nil, err
	}
	ceph, err := disks(s)
	if err != nil {
		return nil, err
	}
	file, err := compose(b, ceph)
	if err != nil {
		return nil, &outcome.Error{Class: outcome.Invalid, Reason: "InvalidConfig", Err: err}
	}
	restore(file, s.Content(refBefore)[configFile])
	data := map[string][]byte{configFile: file.Bytes(), launcherFile: launcher}
	if ceph != nil {
		maps.Copy(data, ceph.Files())
	}
	if traits := b.Spec.Placement.Traits; len(traits) > 0 {
		data[providerFile] = providers(traits)
	}
	data[keyHash] = []byte(hashOf(data))
	secret := &corev1.Secret{ObjectMeta: meta(b, configName(b), ""), Data: data}
	return []client.Object{secret}, nil
}

func compose(b object, ceph *service.CephAccess) (*oslo.File, error) {
	if err := one(b); err != nil {
		return nil, err
	}
	return over(options(b, ceph), b.Spec.Release, imageCompute, "spec.config", b.Spec.Config)
}

// over lays options that a person asks for in a field over the operator's own, if the agent of an image has them.
func over(own *oslo.File, release, image, field string, asked map[string]servicev1.Options) (*oslo.File, error) {
	layer, err := service.LayerOf(field, asked)
	if err != nil {
		return nil, err
	}
	known, err := catalogue.Load(releases.Files, release, image)
	if err != nil {
		return nil, fmt.Errorf("spec.release: %w; take a release that the operator knows", err)
	}
	checker := oslo.Checker{Catalogue: known}
	if image == imageLibvirt {
		checker.Own, checker.Plain = libvirt.Own, true
	}
	return checker.Compose(own, layer)
}

// options sets what differs from upstream's defaults and from the cell's configuration.
func options(b object, ceph *service.CephAccess) *oslo.File {
	f := &oslo.File{}
	f.Set(oslo.Default, "instances_path", "/var/lib/nova/instances")
	if fake(b) {
		crowd(f)
	} else {
		virtual(b, f)
		moves(f)
	}
	if ceph != nil {
		keep(f, disksOf(b).Pool, ceph)
	}
	for option, r := range ratios(b) {
		if r != nil {
			f.Set(oslo.Default, option, string(*r))
		}
	}
	if len(b.Spec.Placement.Traits) > 0 {
		f.Set("compute", "provider_config_location", blockDir)
	}
	return f
}

// ratios are what is declared for each option that is about how much more is given to servers than there is.
func ratios(b object) map[string]*fleetv1.Ratio {
	o := b.Spec.Placement.Overcommit
	return map[string]*fleetv1.Ratio{"cpu_allocation_ratio": o.CPU, "ram_allocation_ratio": o.Memory,
		"disk_allocation_ratio": o.Disk}
}

// restore gives hosts the ratio again that Nova gives new ones, where the configuration that they have says another and
// this one says none: Nova would keep what Placement has (_get_allocation_ratios in nova/virt/driver.py). The file that
// hosts have is what remembers it. Ratios of which it never said anything are left to those who set them by the API.
func restore(f *oslo.File, before []byte) {
	old, err := oslo.Parse(string(before))
	if err != nil {
		return // somebody else has written it, and it is put right now
	}
	for option := range ratios(&fleetv1.BuildingBlock{}) {
		_, had := old.Value(oslo.Default, option)
		if _, has := f.Value(oslo.Default, option); had && !has {
			f.Set(oslo.Default, option, "$initial_"+option)
		}
	}
}

// crowd sets what many hosts of one process do. Nothing changes on them by itself, and to look at that every minute,
// and to report every ten seconds, 200 hosts took two processors. Nova takes for down who is silent for a minute.
func crowd(f *oslo.File) {
	f.Set(oslo.Default, "compute_driver", "fake.FakeHost")
	f.Set(oslo.Default, "report_interval", 20)
	f.Set(oslo.Default, "update_resources_interval", 300)
}

// virtual sets how servers of libvirt run.
func virtual(b object, f *oslo.File) {
	f.Set(oslo.Default, "compute_driver", "libvirt.LibvirtDriver")
	// Neutron may be away for a while: five more attempts take half a minute (manager.py, _allocate_network_async).
	f.Set(oslo.Default, "network_allocate_retries", 5)
	// nova-compute has no rights. What takes some it does through privsep, which sudo starts.
	f.Set("workarounds", "disable_rootwrap", true)
	// Nova looks at groups of servers again when one comes, in a database that cells do not know; no server would come.
	f.Set("workarounds", "disable_group_policy_check_upcall", true)
	// Screens are shown by the cell's proxy only. my_ip is the node's address, from the environment.
	f.Set("vnc", "server_listen", "$my_ip")
	f.Set("vnc", "server_proxyclient_address", "$my_ip")
	// Sockets of Open vSwitch are root's, so it is asked through privsep and not by a library.
	f.Set("os_vif_ovs", "ovsdb_interface", "vsctl")
	f.Set("os_vif_ovs", "ovsdb_connection", "unix:/run/openvswitch/db.sock")
	l := b.Spec.Libvirt
	if l == nil {
		return
	}
	if l.VirtType != "" && l.VirtType != auto {
		f.Set("libvirt", "virt_type", l.VirtType)
	}
	if l.CPUMode != "" {
		f.Set("libvirt", "cpu_mode", l.CPUMode)
	}
	if len(l.CPUModels) > 0 {
		f.Set("libvirt", "cpu_models", strings.Join(l.CPUModels, ","))
	}
}

// providers is a file that gives traits to each host, see Nova's guide on managing resource providers by files.
func providers(traits []fleetv1.Trait) []byte {
	var out bytes.Buffer
	out.WriteString("meta: {schema_version: '1.0'}\nproviders:\n- identification: {uuid: $COMPUTE_NODE}\n" +
		"  traits:\n    additional:\n")
	for _, t := range traits {
		fmt.Fprintf(&out, "    - %s\n", t)
	}
	return out.Bytes()
}

func hashOf(data map[string][]byte) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(data)) {
		fmt.Fprintf(h, "%s\x00%d\x00%s", k, len(data[k]), data[k])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
