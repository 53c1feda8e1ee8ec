package catalogue

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/releases"
)

func TestCataloguesAreInTheFormThatIsWritten(t *testing.T) {
	files, err := fs.Glob(releases.Files, "*/options/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("catalogues are %v: %v", files, err)
	}
	for _, file := range files {
		data, err := fs.ReadFile(releases.Files, file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if Path(parsed.Release, parsed.Service) != file {
			t.Errorf("%s says that it is of %s in %s", file, parsed.Service, parsed.Release)
		}
		encoded, err := parsed.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, encoded) {
			t.Errorf("%s is not as stackwright images options writes it", file)
		}
	}
}

func TestKeystone(t *testing.T) {
	keystone, err := Load(releases.Files, "epoxy", "keystone")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		group, option string
		want          Option
	}{
		"number with limits": {"token", "expiration", Option{Type: Type{Kind: KindInteger, Min: "0",
			Max: "9223372036854775807"}, Default: json.Number("3600")}},
		"secret": {"database", "connection", Option{Type: Type{Kind: KindString}, Secret: true}},
		"list":   {"cors", "allowed_origin", Option{Type: Type{Kind: KindList, Items: &Type{Kind: KindString}}}},
		"multi": {"oslo_messaging_notifications", "driver", Option{Type: Type{Kind: KindString}, Multi: true,
			Default: []any{}}},
		"former name": {"DEFAULT", "executor_thread_pool_size", Option{Type: Type{Kind: KindInteger},
			Default: json.Number("64"), Deprecated: []Name{{Group: "DEFAULT", Name: "rpc_thread_pool_size"}}}},
		"former section": {"revoke", "cache_time", Option{Type: Type{Kind: KindInteger}, Default: json.Number("3600"),
			Deprecated: []Name{{Group: "token", Name: "revocation_cache_time"}}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, keystone.Groups[test.group].Options[test.option]); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := keystone.Groups["keystone_authtoken"].DriverOption; got != "auth_type" {
		t.Errorf("the driver of keystone_authtoken is chosen by %q", got)
	}
	backend := keystone.Groups["cache"].Options["backend"]
	if len(backend.Choices) == 0 {
		t.Errorf("the backends of the cache are %v", backend.Choices)
	}
}

// lens is one as libvirt writes them, of a file tool.conf.
const lens = `(* /etc/libvirt/tool.conf *)
module Libvirt_tool =
   let bool_val = store /0|1/
   let int_val = store /[0-9]+/
   let str_entry       (kw:string) = [ key kw . value_sep . str_val ]
   let limits_entry (kw:string) = [ key kw . value_sep . unlimited_val ] |  [ key kw . value_sep . int_val ]
   let some_entry = str_entry  "color"
                 | bool_entry "loud"
   let more_entry = int_entry "count" | str_array_entry "names"
                 | limits_entry "room"
   let obsolete_entry = bool_entry "quiet"
   let filter = incl "/etc/libvirt/tool.conf"
`

func TestLens(t *testing.T) {
	got := &Catalogue{}
	if err := got.AddLens(lens); err != nil {
		t.Fatal(err)
	}
	other := strings.NewReplacer("/[0-9]+/", "/-?[0-9]+/", "tool.conf", "other.conf").Replace(lens)
	if err := got.AddLens(other); err != nil {
		t.Fatal(err)
	}
	want := map[string]Option{"color": {Type: Type{Kind: KindString}}, "loud": {Type: Type{Kind: KindBoolean}},
		"count": {Type: Type{Kind: KindInteger, Min: "0"}}, "names": {Type: Type{Kind: KindString}, Multi: true},
		"room": {Type: Type{Kind: KindString, Regex: Limit}}}
	if diff := cmp.Diff(want, got.Groups["tool.conf"].Options); diff != "" {
		t.Errorf("the options are others (-want +got):\n%s", diff)
	}
	if least := got.Groups["other.conf"].Options["count"].Min; least != "" {
		t.Errorf("with negative numbers the least is %s", least)
	}
}

func TestLensThatIsNotUnderstood(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"a new kind":  {"bool_entry \"loud\"", "date_entry \"since\"", "tool.conf: option since is of an unknown kind, date"},
		"no file":     {"incl", "excl", "does not say which file it is for"},
		"other words": {"_entry", "_line", "the lens of tool.conf: it has no options"},
	} {
		err := new(Catalogue).AddLens(strings.ReplaceAll(lens, test.old, test.new))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %s", name, err, test.want)
		}
	}
}

func TestLibvirt(t *testing.T) {
	libvirt, err := Load(releases.Files, "epoxy", "libvirt")
	if err != nil {
		t.Fatal(err)
	}
	for option, want := range map[[2]string]Option{
		{"libvirtd.conf", "max_clients"}:         {Type: Type{Kind: KindInteger}},
		{"libvirtd.conf", "tls_allowed_dn_list"}: {Type: Type{Kind: KindString}, Multi: true},
		{"qemu.conf", "max_core"}:                {Type: Type{Kind: KindString, Regex: Limit}},
		{"qemu.conf", "max_files"}:               {Type: Type{Kind: KindInteger, Min: "0"}},
	} {
		if diff := cmp.Diff(want, libvirt.Groups[option[0]].Options[option[1]]); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", option[1], option[0], diff)
		}
	}
}

func TestLoadSaysWhatIsMissing(t *testing.T) {
	if _, err := Load(releases.Files, "epoxy", "nothing"); err == nil {
		t.Error("a catalogue that is not there was loaded")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"release":"r","service":"s","groups":{"DEFAULT":{"options":{"a":{"type":"integer","min":1}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := Parse(data)
		if err != nil {
			return
		}
		encoded, err := parsed.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := Parse(encoded)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if second, err := again.Encode(); err != nil || !bytes.Equal(encoded, second) {
			t.Errorf("written twice it differs: %v", err)
		}
	})
}
