package pki

import (
	"testing"
	"time"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

func TestGivenRefuses(t *testing.T) {
	ca := must[Pair](t)(NewCA("mine", epoch))
	good := must[Pair](t)(Issue(ca, Request{CommonName: "leaf"}, epoch))
	st := Given[*infrav1.Galera]("given", refSecret)
	for name, c := range map[string]struct {
		data map[string][]byte
		at   time.Duration
		want string
	}{
		"good":               {data: keys(good)},
		"of a known issuer":  {data: with(good, CAKey, "")},
		"no certificate":     {data: with(good, CertKey, ""), want: `Secret brought has no key "tls.crt"; add it`},
		"no key":             {data: with(good, KeyKey, ""), want: `Secret brought has no key "tls.key"; add it`},
		"garbage":            {data: with(good, CertKey, "x"), want: "is malformed: tls.crt: no PEM certificate"},
		"garbage key":        {data: with(good, KeyKey, "x"), want: "is malformed: tls.key: no PEM private key"},
		"another's key":      {data: with(good, KeyKey, string(ca.Key)), want: "tls.key does not belong to the certificate"},
		"garbage from above": {data: with(good, CAKey, "x"), want: "is malformed: ca.crt: no PEM certificate"},
		"expired":            {data: keys(good), at: LeafLifetime + time.Hour, want: "in tls.crt has expired; renew it"},
	} {
		t.Run(name, func(t *testing.T) {
			out := st.Act(t.Context(), look(st, c.data, epoch.Add(c.at)))
			refused(t, out, c.want)
			if c.want == "" && out.After != LeafLifetime+time.Second {
				t.Errorf("it is looked at again after %s, want when it expires", out.After)
			}
		})
	}
}
