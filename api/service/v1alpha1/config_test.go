package v1alpha1

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestTexts(t *testing.T) {
	for raw, c := range map[string]struct {
		texts []string
		list  bool
		err   string
	}{
		`"text"`:               {texts: []string{"text"}},
		`600`:                  {texts: []string{"600"}},
		`9223372036854775807`:  {texts: []string{"9223372036854775807"}},
		`0.5`:                  {texts: []string{"0.5"}},
		`true`:                 {texts: []string{"true"}},
		`["a",1,false]`:        {texts: []string{"a", "1", "false"}, list: true},
		`[]`:                   {list: true},
		`null`:                 {err: "is empty; leave the option out to get its default"},
		`{"a":1}`:              {err: "is an object; use a string, a number, a boolean or a list of these"},
		`[["a"]]`:              {list: true, err: "has a list in a list; use one list of strings, numbers or booleans"},
		`["a",{"b":"c"},null]`: {list: true, err: "is an object; use a string, a number, a boolean or a list of these"},
	} {
		t.Run(raw, func(t *testing.T) {
			var options Options
			if err := json.Unmarshal([]byte(`{"o":`+raw+`}`), &options); err != nil {
				t.Fatalf("it makes the whole object unreadable: %v", err)
			}
			v := options["o"]
			texts, list, err := v.Texts()
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != c.err || !slices.Equal(texts, c.texts) || list != c.list {
				t.Errorf("got %q, list %v, error %q; want %q, %v, %q", texts, list, got, c.texts, c.list, c.err)
			}
			if again, err := json.Marshal(*v.DeepCopy()); err != nil || string(again) != raw {
				t.Errorf("written again it is %s, %v", again, err)
			}
		})
	}
}
