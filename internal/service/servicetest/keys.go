package servicetest

import (
	"encoding/base64"
	"maps"
	"strings"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/kit/kittest"
)

// TellsBrokenKeys plays keys 0 or 1 of a Secret with Fernet keys being broken in some ways: a condition of the object,
// `kind/namespace/name`, tells of each, and the keys come back from their copy.
func TellsBrokenKeys(p *kittest.Play, object, condition, secret string) {
	p.T.Helper()
	path := "Secret/" + object[strings.Index(object, "/")+1:strings.LastIndex(object, "/")] + "/" + secret
	before, ok := p.Object(path).Object["data"].(map[string]any)
	if !ok {
		p.T.Fatalf("%s has no keys", path)
	}
	for what, value := range map[string]string{
		"short": "c2hvcnQ=", "of another alphabet": strings.Repeat("?", 44), "empty": "",
		"too long": strings.Repeat("A", 88),
	} {
		data := maps.Clone(before)
		data["1"] = base64.StdEncoding.EncodeToString([]byte(value))
		p.Change(path, "data", data)
		p.Settle()
		if c := p.Condition(object, condition); c.Status != "False" || !strings.Contains(c.Message, "key 1 of Secret "+secret+
			" is no Fernet key, which is 32 bytes in URL-safe base64; delete that Secret, and it comes back as it was") {
			p.T.Errorf("%s: the condition is %s: %s", what, c.Status, c.Message)
		}
		p.Remove(path)
		p.Settle()
		p.Ready()
		if diff := cmp.Diff(before, p.Object(path).Object["data"]); diff != "" {
			p.T.Errorf("%s: the keys are not what they were (-before +after):\n%s", what, diff)
		}
	}
}
