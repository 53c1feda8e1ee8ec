package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/operator"
)

// A file that cannot be written is told before anything is made.
func TestPictureIsCheckedFirst(t *testing.T) {
	f := upFlags{profile: profileCore, picture: filepath.Join(t.TempDir(), "missing", "up.svg")}
	err := f.check()
	if err == nil || !strings.Contains(err.Error(), "--picture") || code(t.Context(), err) != exitUsage {
		t.Errorf("a picture in a folder that is missing: %v", err)
	}
	f.picture = filepath.Join(t.TempDir(), "up.svg")
	if err := f.check(); err != nil {
		t.Error(err)
	}
}

// Work is drawn when it fails, too; its error is the one that is told.
func TestPictureOfAFailure(t *testing.T) {
	u := &ascent{app: &app{kubeconfig: nowhere(t)}, upFlags: upFlags{picture: filepath.Join(t.TempDir(), "up.svg")}}
	failure := errors.New("it broke")
	_, err := u.drawn(t.Context(), func(context.Context) (*arrival, error) { return nil, failure })
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	if picture, err := os.ReadFile(u.picture); err != nil || !strings.Contains(string(picture), "</svg>") {
		t.Errorf("the picture is %q (%v)", picture, err)
	}
}

// nowhere is the kubeconfig of a cluster that does not answer.
func nowhere(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(file, []byte(`{apiVersion: v1, kind: Config, current-context: c,
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}], contexts: [{name: c, context: {cluster: c, user: u}}],
users: [{name: u, user: {}}]}`), 0o600))
	return file
}

func TestOwnersAreKindsNotLists(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range owners(operator.NewScheme()) {
		seen[kind.Kind] = true
		if strings.HasSuffix(kind.Kind, "List") || kind.Kind == "OpenStackRelease" {
			t.Errorf("%s has no operator that says how it is", kind)
		}
	}
	for _, want := range []string{"OpenStackControlPlane", "Galera", "Nova", "BuildingBlock", "Server"} {
		if !seen[want] {
			t.Errorf("%s is not drawn (of %s)", want, openstackv1.GroupVersion)
		}
	}
}
