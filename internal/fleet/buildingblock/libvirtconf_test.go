package buildingblock_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// libvirt's files have a syntax of their own: quotes around texts, numbers for yes and no, lists in brackets.
func TestLibvirtFiles(t *testing.T) {
	patch := `spec: {agents: {libvirt: {config: {
  libvirtd.conf: {max_clients: 4321, keepalive_interval: -1, audit_logging: true, log_filters: "1:qemu 3:rpc",
    tls_allowed_dn_list: ["C=DE,O=one", "C=DE,O=two"], sasl_allowed_username_list: []},
  qemu.conf: {max_core: unlimited, max_files: "32768", dump_guest_core: false, save_image_format: zstd}}}}}`
	kittest.New(t, scenario(t, "libvirt", patch)).Run(t, func(p *kittest.Play) {
		p.Ready()
		files := servicetest.Secret(p, "rack-a-libvirt")
		kittest.Golden(t, "testdata/libvirtd.conf", files["libvirtd.conf"])
		kittest.Golden(t, "testdata/qemu.conf", files["qemu.conf"])
		p.Change(rack, "spec.agents.libvirt.config", map[string]any{"qemu.conf": map[string]any{"max_core": int64(1048576)}})
		p.Settle()
		p.Ready()
		files = servicetest.Secret(p, "rack-a-libvirt")
		if len(files) != 1 || files["qemu.conf"] != "max_core = 1048576\n" {
			t.Errorf("a limit is asked for and nothing else, and the files are %q", files)
		}
		p.Change(rack, "spec.agents.libvirt.config", nil)
		p.Settle()
		p.Ready()
		if p.Object("Secret/cloud/rack-a-libvirt") != nil {
			t.Error("nothing is asked for, and the files are still there")
		}
	})
}

// What an agent does not know is told before any of its pods changes, and so is what the block says elsewhere.
func TestOptionsOfAgentsAreChecked(t *testing.T) {
	const (
		libvirt = "libvirt of release epoxy has no "
		chassis = "spec.agents.chassis.config: "
	)
	for name, c := range map[string]struct{ agent, config, want string }{
		"an option": {"libvirt", "{libvirtd.conf: {max_client: 9}}", "spec.agents.libvirt.config: " + libvirt +
			"option max_client in section [libvirtd.conf]; did you mean max_clients?"},
		"a file": {"libvirt", "{virtqemud.conf: {max_clients: 9}}", libvirt +
			"section [virtqemud.conf]; move it to [libvirtd.conf]"},
		"another file": {"libvirt", "{qemu.conf: {max_clients: 9}}", libvirt +
			"option max_clients in section [qemu.conf]; move it to [libvirtd.conf]"},
		"a number": {"libvirt", "{qemu.conf: {max_files: $many}}",
			`[qemu.conf] max_files must be an integer of at least 0, not "$many"`},
		"a quote": {"libvirt", `{libvirtd.conf: {log_filters: '1:"qemu'}}`,
			"[libvirtd.conf] log_filters has a quote in its value, which libvirt does not read; take it out"},
		"the operator's": {"libvirt", "{libvirtd.conf: {listen_tls: 0}}", "[libvirtd.conf] listen_tls is not set here: " +
			"hosts of the block call each other by TLS, with certificates that the operator makes; take it out"},
		"a key": {"chassis", "{other_config: {max-idel: 1}}", chassis + "ovn-chassis of release 25.03 has no option " +
			"max-idel in section [other_config]; did you mean max-idle?"},
		"the block's": {"chassis", "{external_ids: {ovn-bridge-mappings: 'a:b'}}", chassis + "[external_ids] " +
			"ovn-bridge-mappings is not set here: bridgeMappings has the physical networks and their bridges; take it out"},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t, "libvirt", "spec: {ovn: network}")).Run(t, func(p *kittest.Play) {
				p.Ready()
				object, condition := "DaemonSet/cloud/rack-a-libvirt", "LibvirtReady"
				if c.agent == "chassis" {
					object, condition = "OVNChassis/cloud/rack-a", "ChassisReady"
				}
				before := p.Object(object).Object["spec"]
				p.Change(rack, "spec.agents."+c.agent+".config", decoded(t, c.config))
				p.Settle()
				got := p.Condition(rack, condition)
				if got.Status != "False" || got.Reason != "InvalidConfig" || !strings.Contains(got.Message, c.want) {
					t.Errorf("%s is %s %s: %s\nwant %s", condition, got.Status, got.Reason, got.Message, c.want)
				}
				if diff := cmp.Diff(before, p.Object(object).Object["spec"]); diff != "" {
					t.Errorf("pods change (-before +after):\n%s", diff)
				}
			})
		})
	}
}

// decoded is a value in YAML as objects have it.
func decoded(t *testing.T, text string) any {
	t.Helper()
	var u unstructured.Unstructured
	doc, err := yaml.YAMLToJSON([]byte("{apiVersion: v1, kind: Value, value: " + text + "}"))
	servicetest.Must(t, err)
	servicetest.Must(t, u.UnmarshalJSON(doc))
	return u.Object["value"]
}
