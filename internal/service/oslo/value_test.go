package oslo

import (
	"testing"

	"stackwright.dev/stackwright/internal/image/catalogue"
)

// positive is a whole number from 1 on.
var positive = &catalogue.Type{Kind: catalogue.KindInteger, Min: "1"}

// values are right and wrong ones of each type.
var values = map[string]struct {
	t     catalogue.Type
	right []string
	wrong []string
}{
	"boolean": {catalogue.Type{Kind: catalogue.KindBoolean}, []string{"true", "False", "1", "ON", "no"},
		[]string{"", "2", "y"}},
	"integer": {catalogue.Type{Kind: catalogue.KindInteger}, []string{"0", "-7", " 7 "},
		[]string{"", "1.5", "1e3", "seven"}},
	"limits": {catalogue.Type{Kind: catalogue.KindInteger, Min: "1", Max: "5"}, []string{"1", "5"},
		[]string{"0", "6"}},
	"most": {catalogue.Type{Kind: catalogue.KindFloat, Max: "0.5"}, []string{"0.5", "-1e3"},
		[]string{"0.6", "half"}},
	"choices": {catalogue.Type{Kind: catalogue.KindInteger, Choices: []any{"1", "2"}}, []string{"1"}, []string{"3"}},
	"port":    {catalogue.Type{Kind: catalogue.KindPort}, []string{"0", "65535"}, []string{"-1", "65536", "http"}},
	"text choice": {catalogue.Type{Kind: catalogue.KindString, Choices: []any{"a", "b"}}, []string{"a"},
		[]string{"A", "c", ""}},
	"any case": {catalogue.Type{Kind: catalogue.KindString, Choices: []any{"a"}, IgnoreCase: true}, []string{"A"},
		[]string{"b"}},
	"length":  {catalogue.Type{Kind: catalogue.KindString, MaxLength: 2}, []string{"äö", ""}, []string{"abc"}},
	"pattern": {catalogue.Type{Kind: catalogue.KindString, Regex: "^a+$"}, []string{"aa"}, []string{"b"}},
	"python":  {catalogue.Type{Kind: catalogue.KindString, Regex: "^(?!x)"}, []string{"x"}, nil},
	"list": {catalogue.Type{Kind: catalogue.KindList, Items: positive}, []string{"", "1", "1, 2"},
		[]string{"0", "1,x", "1,,2"}},
	"bounds": {catalogue.Type{Kind: catalogue.KindList, Bounds: true}, []string{"[]", "[a,b]"},
		[]string{"a,b", "[a"}},
	"pairs": {catalogue.Type{Kind: catalogue.KindDict, Items: positive}, []string{"", "a:1,b:2"},
		[]string{"a", "a:0", ":1"}},
	"range": {catalogue.Type{Kind: catalogue.KindRange}, []string{"1", "1-5"}, []string{"a", "1-b", ""}},
	"address": {catalogue.Type{Kind: catalogue.KindIPAddress}, []string{"192.0.2.1", "2001:db8::1"},
		[]string{"host", "1.2.3"}},
	"version 4": {catalogue.Type{Kind: catalogue.KindIPAddress, Version: 4}, []string{"192.0.2.1"},
		[]string{"2001:db8::1"}},
	"host address": {catalogue.Type{Kind: catalogue.KindHost}, []string{"192.0.2.1", "db.example.org"},
		[]string{"a_b", "a b", ""}},
	"host name":   {catalogue.Type{Kind: catalogue.KindHostname}, []string{"db"}, []string{"-db", "a_b"}},
	"host domain": {catalogue.Type{Kind: catalogue.KindHostDomain}, []string{"a_b.example.org"}, []string{"a b"}},
	"uri":         {catalogue.Type{Kind: catalogue.KindURI}, []string{"https://a/b"}, []string{"a/b", "::"}},
	"scheme": {catalogue.Type{Kind: catalogue.KindURI, Schemes: []string{"https"}}, []string{"https://a"},
		[]string{"http://a"}},
	"other":     {catalogue.Type{Kind: catalogue.KindOther}, []string{"", "any\nthing"}, nil},
	"reference": {catalogue.Type{Kind: catalogue.KindInteger}, []string{"$other", "${a.b}"}, []string{"$$5"}},
	"two lines": {catalogue.Type{Kind: catalogue.KindString}, []string{"a"}, []string{"a\nb"}},
}

func TestWrong(t *testing.T) {
	for name, c := range values {
		t.Run(name, func(t *testing.T) {
			for _, value := range c.right {
				if why := wrong(c.t, value); why != "" {
					t.Errorf("%q is refused: it must be %s", value, why)
				}
			}
			for _, value := range c.wrong {
				if wrong(c.t, value) == "" {
					t.Errorf("%q is accepted", value)
				}
			}
		})
	}
}

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", "abc"}: 3, {"abc", "abc"}: 0, {"abc", "acb"}: 1, {"tokn", "token"}: 1, {"expiraton", "expiration"}: 1,
		{"a", "b"}: 1, {"abc", ""}: 3, {"kitten", "sitting"}: 3,
	} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("from %q to %q are %d changes, want %d", pair[0], pair[1], got, want)
		}
	}
}
