package pki

import (
	"strings"
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
			if end := epoch.Add(LeafLifetime); (c.want == "" || c.at > 0) && !out.Ends.Equal(end) {
				t.Errorf("it is said to end at %s, want %s", out.Ends, end)
			}
		})
	}
}

// People are told two weeks before a certificate of theirs ends; of a short one, when a quarter of its life is left.
func TestLastsAdvises(t *testing.T) {
	const day = 24 * time.Hour
	ca := must[Pair](t)(NewCA("mine", epoch))
	for name, c := range map[string]struct {
		life, at, next time.Duration
		want           string
	}{
		"new":         {life: 90 * day, next: 76 * day},
		"a day to go": {life: 90 * day, at: 75 * day, next: day},
		"two weeks are left": {life: 90 * day, at: 76 * day,
			want: "the certificate in Secret brought ends on 2026-04-02, and nobody takes it after that; put a renewed one"},
		"renewed by a program": {life: 8 * day, at: 5 * day, next: day - skew/4},
		"not renewed by it":    {life: 8 * day, at: 6 * day, want: "ends on 2026-01-10"},
	} {
		t.Run(name, func(t *testing.T) {
			pair := must[Pair](t)(Issue(ca, Request{CommonName: "leaf", Lifetime: c.life}, epoch))
			st := Lasts[*infrav1.Galera]("lasts", refSecret)
			out := st.Act(t.Context(), look(st, keys(pair), epoch.Add(c.at)))
			switch {
			case c.want == "" && (!out.Ready() || out.After != c.next+time.Second):
				t.Errorf("the outcome is %+v, want to look again after %s", out, c.next)
			case c.want != "" && (out.Ready() || !strings.Contains(out.Message, c.want)):
				t.Errorf("the outcome is %+v, want %q", out, c.want)
			}
		})
	}
	out := Lasts[*infrav1.Galera]("lasts", refSecret)
	refused(t, out.Act(t.Context(), look(out, nil, epoch)), `Secret brought has no key "tls.crt"`)
}
