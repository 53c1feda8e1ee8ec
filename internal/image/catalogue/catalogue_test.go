package catalogue

import (
	"bytes"
	"encoding/json"
	"io/fs"
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
			Default: []any{}, Deprecated: []Name{}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := keystone.Groups[test.group].Options[test.option]
			if test.want.Deprecated != nil {
				got.Deprecated = []Name{}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
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
