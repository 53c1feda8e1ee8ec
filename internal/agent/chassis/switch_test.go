package chassis

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// machine stands for a node: its database answers by what its commands begin with, its links have addresses.
type machine struct {
	answers map[string]string
	orders  []string
	links   map[string][]string
	// taps are those that are down.
	taps []string
}

func (m *machine) run(_ context.Context, name string, args ...string) (string, error) {
	line := strings.Join(args, " ")
	if name == "ovs-vsctl" {
		_, line, _ = strings.Cut(line, "db.sock ")
	}
	for begin, answer := range m.answers {
		if strings.HasPrefix(line, begin) {
			return answer, nil
		}
	}
	m.orders = append(m.orders, strings.Split(line, " -- ")...)
	return "", nil
}

func (m *machine) address(link string) (string, error) {
	all, ok := m.links[link]
	if !ok {
		return "", fmt.Errorf("looking at link %s: no such network interface", link)
	}
	return strings.Join(all[:min(len(all), 1)], ""), nil
}

func (m *machine) give(_ context.Context, link, address string) error {
	if _, ok := m.links[link]; !ok {
		return fmt.Errorf("looking at link %s: no such network interface", link)
	}
	if address != "" && !slices.Contains(m.links[link], address) {
		m.links[link] = append(m.links[link], address)
	}
	m.taps = slices.DeleteFunc(m.taps, func(tap string) bool { return tap == link })
	return nil
}

func (m *machine) down() ([]string, error) { return m.taps, nil }

func (m *machine) take(_ context.Context, link, address string) error {
	if all, ok := m.links[link]; ok {
		m.links[link] = slices.DeleteFunc(all, func(a string) bool { return a == address })
	}
	return nil
}

// flags are those of a node that the tests have in common.
func flags(t *testing.T, more ...string) Config {
	t.Helper()
	var c Config
	f := flag.NewFlagSet("switch", flag.ContinueOnError)
	c.Flags(f)
	common := []string{"--node=n1", "--host-ip=192.0.2.1", "--set=computes", "--remote=ssl:a:6642,ssl:b:6642"}
	if err := f.Parse(append(common, more...)); err != nil {
		t.Fatal(err)
	}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	return c
}

func nodeOf(c Config, m *machine, kernel bool) *node {
	return &node{Config: c, run: m.run, nics: m, kernel: func() (bool, error) { return kernel, nil }}
}

// common are the settings that every node has.
func common(kind, address, options string) []string {
	return []string{`set Open_vSwitch . external_ids:system-id="n1" external_ids:hostname="n1" ` +
		`external_ids:ovn-remote="ssl:a:6642,ssl:b:6642" external_ids:ovn-encap-type="geneve" ` +
		`external_ids:ovn-encap-ip="` + address + `" external_ids:ovn-bridge="br-int" ` +
		`external_ids:ovn-bridge-datapath-type="` + kind + `" external_ids:ovn-monitor-all="true" ` +
		`external_ids:ovn-cms-options="` + options + `"`}
}

// bridge are the orders that make one.
func bridge(name, kind, mode string) []string {
	return []string{"--may-exist add-br " + name, "set Bridge " + name + " datapath_type=" + kind + " fail_mode=" + mode +
		` other_config:disable-in-band=true external_ids:stackwright="bridge"`}
}

const (
	offload    = "set Open_vSwitch . other_config:userspace-tso-enable=true"
	noOffload  = "remove Open_vSwitch . other_config userspace-tso-enable"
	noMappings = "remove Open_vSwitch . external_ids ovn-bridge-mappings"
)

// settings are flags, what a node has, and what its database is told then.
var settings = map[string]struct {
	flags  []string
	kernel bool
	have   map[string]string
	want   [][]string
}{
	"kernel": {nil, true, nil, [][]string{
		common("system", "192.0.2.1", "stackwright-set=computes"),
		{noOffload, noMappings}, bridge("br-int", "system", "secure")}},
	"no module": {nil, false, nil, [][]string{
		common("netdev", "192.0.2.1", "stackwright-set=computes"), {offload, noMappings},
		bridge("br-int", "netdev", "secure")}},
	"kernel with a NIC for tunnels": {[]string{"--tunnel=eth1"}, true, nil, [][]string{
		common("system", "198.51.100.1", "stackwright-set=computes"),
		{noOffload, noMappings}, bridge("br-int", "system", "secure")}},
	"userspace with a NIC for tunnels": {[]string{"--tunnel=eth1", "--datapath=Userspace"}, true, nil, [][]string{
		common("netdev", "198.51.100.1", "stackwright-set=computes"), {offload, noMappings},
		bridge("br-int", "netdev", "secure"), bridge("br-tunnel", "netdev", "standalone"),
		{`set Bridge br-tunnel external_ids:address="198.51.100.1/24" external_ids:interface="eth1"`,
			"--may-exist add-port br-tunnel eth1", `set Port eth1 external_ids:stackwright="nic"`}}},
	"gateway": {[]string{"--gateway", "--mapping=public:br-public::203.0.113.1/24", "--mapping=dc:br-ex:eth2:"},
		true, nil, [][]string{common("system", "192.0.2.1", "enable-chassis-as-gw,stackwright-set=computes"),
			{noOffload,
				`set Open_vSwitch . external_ids:ovn-bridge-mappings="public:br-public,dc:br-ex"`},
			bridge("br-int", "system", "secure"), bridge("br-public", "system", "standalone"),
			{`set Bridge br-public external_ids:address="203.0.113.1/24"`}, bridge("br-ex", "system", "standalone"),
			{"--may-exist add-port br-ex eth2", `set Port eth2 external_ids:stackwright="nic"`}}},
	"what is not wanted any more goes first": {nil, true, map[string]string{
		"--bare --columns=name find Bridge": "br-int br-ex", "--bare --columns=name find Port": "eth2",
		"port-to-br eth2": "br-ex"}, [][]string{
		common("system", "192.0.2.1", "stackwright-set=computes"),
		{noOffload, noMappings, "--if-exists del-br br-ex",
			"--if-exists del-port eth2"}, bridge("br-int", "system", "secure")}},
	"a NIC leaves its bridge before it gets into another one": {
		[]string{"--mapping=public:br-public:eth2:", "--mapping=rack:br-rack:eth3:"}, true, map[string]string{
			"--bare --columns=name find Bridge": "br-int br-public br-rack",
			"--bare --columns=name find Port":   "eth2 eth3", "port-to-br eth2": "br-rack", "port-to-br eth3": "br-rack"},
		[][]string{common("system", "192.0.2.1", "stackwright-set=computes"),
			{noOffload, `set Open_vSwitch . external_ids:ovn-bridge-mappings="public:br-public,rack:br-rack"`,
				"--if-exists del-port eth2"}, bridge("br-int", "system", "secure"),
			bridge("br-public", "system", "standalone"),
			{"--may-exist add-port br-public eth2", `set Port eth2 external_ids:stackwright="nic"`},
			bridge("br-rack", "system", "standalone"),
			{"--may-exist add-port br-rack eth3", `set Port eth3 external_ids:stackwright="nic"`}}},
}

func TestSettings(t *testing.T) {
	for name, test := range settings {
		t.Run(name, func(t *testing.T) {
			m := &machine{answers: map[string]string{"--bare --columns": "", "--if-exists get": ""},
				links: map[string][]string{"eth1": {"198.51.100.1/24"}}}
			if test.have != nil {
				m.answers = maps.Clone(test.have)
				m.answers["--bare --columns=external_ids"], m.answers["--if-exists get"] = "", ""
			}
			if err := nodeOf(flags(t, test.flags...), m, test.kernel).configure(t.Context()); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, w := range test.want {
				want = append(want, w...)
			}
			if diff := cmp.Diff(want, m.orders); diff != "" {
				t.Errorf("orders (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	for name, test := range map[string]struct {
		asked, was string
		kernel     bool
		userspace  bool
		fails      string
	}{
		"auto takes the kernel's":     {Auto, "", true, false, ""},
		"auto without a module":       {Auto, "", false, true, ""},
		"auto stays in userspace":     {Auto, "netdev", true, true, ""},
		"auto stays with the kernel":  {Auto, "system", true, false, ""},
		"userspace":                   {Userspace, "system", true, true, ""},
		"kernel":                      {Kernel, "netdev", true, false, ""},
		"kernel that has no datapath": {Kernel, "", false, false, "no module openvswitch"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &machine{answers: map[string]string{"--if-exists get Bridge br-int datapath_type": test.was}}
			got, err := nodeOf(flags(t, "--datapath="+test.asked), m, test.kernel).choose(t.Context())
			if (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Fatalf("error is %v, want %q", err, test.fails)
			}
			if err == nil && got != test.userspace {
				t.Errorf("userspace is %t", got)
			}
		})
	}
}

// The address of the NIC for tunnels goes to the bridge, stays there when the agent starts again, and comes back when
// the NIC is no longer for tunnels. One that a bridge was given goes when it is to have another one.
func TestAddressMoves(t *testing.T) {
	const remembered = "--bare --columns=external_ids find Bridge name=br-tunnel"
	const given = "--if-exists get Bridge br-public external_ids:address"
	m := &machine{answers: map[string]string{"--bare --columns=name find Port": "",
		"--bare --columns=name find Bridge": "br-int br-public br-tunnel", given: "", remembered: "",
		"--if-exists get Open_vSwitch": "", "--if-exists get Bridge br-int datapath_type": ""},
		links: map[string][]string{"eth1": {"198.51.100.1/24"}, "br-tunnel": {}, "br-public": {}}}
	public := func(address string) string { return "--mapping=public:br-public::" + address }
	expect := func(what string, eth1, tunnel, public []string) {
		t.Helper()
		want := map[string][]string{"eth1": eth1, "br-tunnel": tunnel, "br-public": public}
		if diff := cmp.Diff(want, m.links); diff != "" {
			t.Errorf("%s: addresses (-want +got):\n%s", what, diff)
		}
	}
	start := func(c Config) {
		t.Helper()
		n := nodeOf(c, m, false)
		if err := errors.Join(n.configure(t.Context()), n.keepAddresses(t.Context())); err != nil {
			t.Fatal(err)
		}
		if c.Tunnel != "" && n.facts.address != "198.51.100.1" {
			t.Errorf("the node's end of tunnels is %s", n.facts.address)
		}
	}
	none, tunnels := []string{}, []string{"198.51.100.1/24"}
	c := flags(t, "--tunnel=eth1", "--datapath=Userspace", public("203.0.113.1/24"))
	start(c)
	expect("first", none, tunnels, []string{"203.0.113.1/24"})
	m.answers[remembered] = `address="198.51.100.1/24" interface=eth1 stackwright=bridge`
	m.answers[given] = `"203.0.113.1/24"`
	start(c)
	expect("again", none, tunnels, []string{"203.0.113.1/24"})
	m.links["br-public"] = append(m.links["br-public"], "192.0.2.9/32") // somebody else's
	start(flags(t, "--tunnel=eth1", "--datapath=Userspace", public("203.0.113.254/24")))
	expect("another address", none, tunnels, []string{"192.0.2.9/32", "203.0.113.254/24"})
	m.answers[given] = `"203.0.113.254/24"`
	m.orders = nil
	start(flags(t, "--datapath=Userspace", public("")))
	expect("given back", tunnels, tunnels, []string{"192.0.2.9/32"})
	if want := "remove Bridge br-public external_ids address"; !slices.Contains(m.orders, want) {
		t.Errorf("the bridge still has an address noted: %v", m.orders)
	}
}

// A server whose tap is down has no network. Taps of nobody knows whom are left alone, as are all where the kernel
// forwards, which takes none down.
func TestTapsOfServersComeUp(t *testing.T) {
	for datapath, want := range map[string][]string{Userspace: {"tap-of-another"}, Kernel: {"tap1", "tap-of-another"}} {
		m := &machine{links: map[string][]string{"tap1": nil, "tap2": nil}, taps: []string{"tap1", "tap-of-another"},
			answers: map[string]string{
				"--bare --columns=name find Interface external_ids:iface-status=active": "tap1\n\ntap2\n"}}
		n := nodeOf(flags(t, "--datapath="+datapath), m, true)
		n.facts.userspace = datapath == Userspace
		if err := n.keepTaps(t.Context()); err != nil || !slices.Equal(m.taps, want) {
			t.Errorf("with datapath %s the taps %v are down, want %v: %v", datapath, m.taps, want, err)
		}
	}
}

func TestTunnelNeedsAnAddress(t *testing.T) {
	for link, want := range map[string]string{
		"eth1": "NIC eth1 has no address for tunnels; give it one",
		"eth7": "looking at link eth7",
	} {
		m := &machine{answers: map[string]string{"": ""}, links: map[string][]string{"eth1": {}}}
		err := nodeOf(flags(t, "--tunnel="+link), m, true).configure(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", link, err, want)
		}
	}
}

func TestMappingIsChecked(t *testing.T) {
	for _, text := range []string{"public", "public:br-public", ":br-public::", "public:::"} {
		var c Config
		if err := c.mapping(text); err == nil {
			t.Errorf("%q is taken as %+v", text, c.Mappings)
		}
	}
	var c Config
	const text = "v6:br-ex:eth2:2001:db8::1/64"
	if err := c.mapping(text); err != nil || c.Mappings[0].String() != text || c.Mappings[0].Address != "2001:db8::1/64" {
		t.Errorf("%s becomes %+v: %v", text, c.Mappings, err)
	}
}

// Options that are asked for are set in one transaction with their names, by which those go first that are asked for no
// more. What the agent itself says in place of one comes after that.
func TestOptions(t *testing.T) {
	for name, test := range map[string]struct {
		flags    []string
		asked    string
		old, new []string
	}{
		"first": {[]string{"--other-config=max-idle=30000", "--external-id=ovn-monitor-all=false",
			`--external-id=ovn-transport-zones=a,"b=c"`}, "", nil,
			[]string{`set Open_vSwitch . other_config:max-idle="30000" external_ids:ovn-monitor-all="false" ` +
				`external_ids:ovn-transport-zones="a,\"b=c\"" external_ids:stackwright-options=` +
				`"other_config:max-idle external_ids:ovn-monitor-all external_ids:ovn-transport-zones"`}},
		"fewer": {[]string{"--other-config=max-idle=30000"},
			`"other_config:flow-limit other_config:max-idle external_ids:ovn-monitor-all"`,
			[]string{"remove Open_vSwitch . other_config flow-limit", "remove Open_vSwitch . external_ids ovn-monitor-all"},
			[]string{`set Open_vSwitch . other_config:max-idle="30000" ` +
				`external_ids:stackwright-options="other_config:max-idle"`}},
		"no more": {nil, `"other_config:max-idle"`, []string{"remove Open_vSwitch . other_config max-idle"},
			[]string{"remove Open_vSwitch . external_ids stackwright-options"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &machine{answers: map[string]string{"--bare --columns": "", "--if-exists get Bridge": "",
				"--if-exists get Open_vSwitch . external_ids:stackwright-options": test.asked}}
			if err := nodeOf(flags(t, test.flags...), m, true).configure(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := slices.Concat(test.old, common("system", "192.0.2.1", "stackwright-set=computes"),
				[]string{"remove Open_vSwitch . other_config userspace-tso-enable",
					"remove Open_vSwitch . external_ids ovn-bridge-mappings"}, test.new, bridge("br-int", "system", "secure"))
			if diff := cmp.Diff(want, m.orders); diff != "" {
				t.Errorf("orders (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOptionIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"--other-config=max-idle": "want KEY=VALUE",
		"--external-id==1":        "want KEY=VALUE",
	} {
		var c Config
		f := flag.NewFlagSet("switch", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		c.Flags(f)
		if err := f.Parse([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", text, err, want)
		}
	}
	for _, o := range []Option{{OtherConfig, "max-idle", "1"}, {ExternalIDs, "ovn-encap-tos", "inherit"}} {
		if c := flags(t, o.Flag()); !slices.Equal(c.Options, []Option{o}) {
			t.Errorf("%s becomes %v", o.Flag(), c.Options)
		}
	}
}

// Nobody else says otherwise than the agent, but of what all records of the southbound database are for.
func TestWhatTheAgentSetsIsItsOwn(t *testing.T) {
	c := flags(t, "--tunnel=eth1", "--datapath=Userspace", "--mapping=dc:br-ex:eth2:", "--other-config=max-idle=1")
	found := 0
	for order := range strings.SplitSeq(strings.Join(c.settings(facts{userspace: true, moved: "198.51.100.1/24"}), "\n"),
		"\n--\n") {
		words := strings.Split(order, "\n")
		if words[0] != "set" || words[1] != "Open_vSwitch" {
			continue
		}
		for _, w := range words[3:] {
			column, rest, _ := strings.Cut(w, ":")
			key, _, _ := strings.Cut(rest, "=")
			if found++; Own(column, key) == "" && key != "ovn-monitor-all" && key != "max-idle" {
				t.Errorf("%s of %s can be set by others, too", key, column)
			}
		}
	}
	if found < 12 {
		t.Errorf("%d keys were found", found)
	}
}
