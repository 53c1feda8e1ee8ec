package servicetest

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

// Refuses tests what the API server says to objects that are wrong in themselves: each case is a merge patch of the
// smallest one, and what the answer has in it.
func (k Kind) Refuses(p *kittest.Play, cases map[string][2]string) {
	p.T.Helper()
	for name, c := range cases {
		u := &unstructured.Unstructured{}
		text, err := os.ReadFile(k.patched(p.T, c[0]))
		Must(p.T, err)
		Must(p.T, yaml.Unmarshal(text, &u.Object))
		if strings.HasPrefix(c[0], "spec") {
			u.SetName("other")
		}
		if err = p.Client.Create(p.T.Context(), u); err == nil || !strings.Contains(err.Error(), c[1]) {
			p.T.Errorf("%s: the answer is %v\nwant %s", name, err, c[1])
		}
	}
}

// Denied tests that an error has these words.
func Denied(tb testing.TB, err error, words string) {
	tb.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		tb.Errorf("the answer is %v\nwant %s", err, words)
	}
}

// Update writes an object over whatever an operator has made of its status meanwhile.
func Update(p *kittest.Play, u *unstructured.Unstructured) error {
	p.T.Helper()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live := u.DeepCopy()
		if err := p.Client.Get(p.T.Context(), client.ObjectKeyFromObject(u), live); err != nil {
			return err
		}
		u.SetResourceVersion(live.GetResourceVersion())
		return p.Client.Update(p.T.Context(), u)
	})
}
