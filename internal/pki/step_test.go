package pki

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

const refSecret = "secret"

// secretView shows a step one Secret.
type secretView struct {
	step.View

	data map[string][]byte
}

func (v secretView) Referenced(string) []client.Object {
	return []client.Object{&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "brought"}}}
}

func (v secretView) Content(string) map[string][]byte { return v.data }

func look(st step.Step[*infrav1.Galera], data map[string][]byte, now time.Time) *step.Scope[*infrav1.Galera] {
	return step.NewScope(&infrav1.Galera{}, &st, secretView{data: data}, logr.Discard(), now)
}

func keys(p Pair) map[string][]byte {
	return map[string][]byte{CertKey: p.Cert, KeyKey: p.Key, CAKey: p.CA}
}

// with changes one key of a Secret.
func with(p Pair, key, value string) map[string][]byte {
	out := maps.Clone(keys(p))
	out[key] = []byte(value)
	return out
}

// refused tells what an outcome lacks of a refusal with these words.
func refused(t *testing.T, out *outcome.Outcome, want string) {
	t.Helper()
	if want == "" && !out.Ready() {
		t.Fatalf("it is refused: %s", out.Message)
	}
	if want != "" && (out == nil || out.Class != outcome.Invalid || !strings.Contains(out.Message, want)) {
		t.Fatalf("got %+v, want a refusal with %q", out, want)
	}
}

func TestFromRefRefuses(t *testing.T) {
	ca := must[Pair](t)(NewCA("mine", epoch))
	leaf := must[Pair](t)(Issue(ca, Request{CommonName: "leaf"}, epoch))
	reads := step.Step[*infrav1.Galera]{Reads: []string{refSecret}}
	for name, c := range map[string]struct {
		data map[string][]byte
		at   time.Duration
		want string
	}{
		"good":            {data: keys(ca)},
		"without its own": {data: with(ca, CAKey, "")},
		"malformed":       {data: with(ca, KeyKey, "x"), want: "is malformed: tls.key: no PEM private key"},
		"no CA":           {data: keys(leaf), want: `"leaf", which is no CA; give it a certificate with CA:TRUE`},
		"expired":         {data: keys(ca), at: CALifetime + time.Hour, want: `of "mine" has expired; renew it`},
		"bad ca.crt":      {data: with(ca, CAKey, "x"), want: "is malformed: ca.crt: no PEM certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FromRef(look(reads, c.data, epoch.Add(c.at)), refSecret)
			refused(t, outcome.FromError(err), c.want)
			if (c.want == "") != (len(got.Cert) > 0) {
				t.Errorf("the CA is %q", got.Cert)
			}
		})
	}
}
