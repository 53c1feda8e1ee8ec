package service

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// MaxCephs is how many Cephs a service uses, as the schemas say.
const MaxCephs = 8

// RefCeph is the reference to the Secret of one of the Cephs that a service uses.
func RefCeph(i int) string { return fmt.Sprintf("ceph-%d", i) }

// CephRefs are the references to the Secrets of all Cephs that a service uses.
func CephRefs[T owner.Object](cephs func(T) []*servicev1.Ceph) []ref.Ref[T] {
	var out []ref.Ref[T]
	for i := range MaxCephs {
		out = append(out, ref.Local(RefCeph(i), &corev1.Secret{}, func(o T) string {
			if all := cephs(o); i < len(all) && all[i] != nil {
				return all[i].Secret
			}
			return ""
		}))
	}
	return out
}

// CephReads names those references.
func CephReads() []string {
	var out []string
	for i := range MaxCephs {
		out = append(out, RefCeph(i))
	}
	return out
}

// CephAccess is what the programs of a service need to use a Ceph.
type CephAccess struct {
	// User is the name of the user, Secret the id by which libvirt knows the user's key.
	User, Secret string
	// From is the name of the Secret of Kubernetes that says so.
	From string
	// Key of the user, as Ceph writes it.
	Key  []byte
	conf []byte
	base string
	// folder is where the containers have the files.
	folder string
}

// NewCephUser makes sense of the Secret of a Ceph, for those who are told by others where that is.
func NewCephUser(c *servicev1.Ceph, secret map[string][]byte) (*CephAccess, error) {
	if len(secret) == 0 {
		return nil, &outcome.Missing{On: "Secret " + c.Secret,
			Message: "Secret " + c.Secret + " does not say who uses Ceph; make it with ceph.conf, user and key."}
	}
	a := &CephAccess{User: cephUser(c, secret), From: c.Secret}
	if a.User == "" {
		return nil, invalidCeph(c, "names no user; add the key user, or say it in the field user")
	}
	a.Key = cephKey(a.User, secret)
	if len(a.Key) == 0 {
		return nil, invalidCeph(c, "has no key of the user %s; add it as key, as userKey or as %s", a.User, a.User)
	}
	a.Secret = SecretID(string(secret["fsid"]), a.User)
	return a, nil
}

func invalidCeph(c *servicev1.Ceph, format string, args ...any) error {
	return &outcome.Error{Class: outcome.Invalid, Reason: "InvalidCeph",
		Err: fmt.Errorf("the Secret %s %s", c.Secret, fmt.Sprintf(format, args...))}
}

// NewCephAccess makes sense of the Secret of a Ceph. name is that of the files.
func NewCephAccess(name string, c *servicev1.Ceph, secret map[string][]byte) (*CephAccess, error) {
	a, err := NewCephUser(c, secret)
	if err != nil {
		return nil, err
	}
	a.base, a.folder = "ceph-"+name, path("config", "")
	switch conf := secret["ceph.conf"]; {
	case len(c.Monitors) > 0:
		a.conf = fmt.Appendf(nil, "[global]\nmon_host = %s\n", strings.Join(c.Monitors, ","))
	case len(conf) > 0:
		a.conf = append(bytes.TrimRight(conf, "\n"), '\n')
	default:
		return nil, invalidCeph(c, "has no ceph.conf; add it, or say in the field monitors beside the pool where Ceph is")
	}
	return a, nil
}

// SecretID is the id under which hosts keep the key of a user of a Ceph for libvirt. It is made of what both those who
// make volumes and those who use them know.
func SecretID(fsid, user string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("stackwright.dev/ceph/"+fsid+"/"+user)).String()
}

// OneKeyEach refuses users whose keys hosts would have by the same id, so that one of them got lost.
func OneKeyEach(users []*CephAccess) error {
	by := map[string]*CephAccess{}
	for _, u := range users {
		if other := by[u.Secret]; other != nil && !bytes.Equal(other.Key, u.Key) {
			return &outcome.Error{Class: outcome.Invalid, Reason: "InvalidCeph", Err: fmt.Errorf("the Secrets %s and %s have "+
				"different keys of user %s, and hosts can keep only one of them: if they are of two Cephs, add the key fsid to "+
				"the Secrets of both, and otherwise give both the same key", other.From, u.From, u.User)}
		}
		by[u.Secret] = u
	}
	return nil
}

// In has the files in another folder of the containers than services have them.
func (a *CephAccess) In(folder string) *CephAccess {
	moved := *a
	moved.folder = folder + "/"
	return &moved
}

// Conf is the path of ceph.conf in the containers.
func (a *CephAccess) Conf() string { return a.folder + a.base + ".conf" }

// Files are those that the programs read, to lie beside the configuration.
func (a *CephAccess) Files() map[string][]byte {
	keyring := a.base + ".keyring"
	return map[string][]byte{
		a.base + ".conf": fmt.Appendf(slices.Clone(a.conf), "[client.%s]\nkeyring = %s\n", a.User, a.folder+keyring),
		keyring:          fmt.Appendf(nil, "[client.%s]\nkey = %s\n", a.User, a.Key),
	}
}

// cephUser is who the Secret is about: a DevCeph says user, Rook's CSI userID, and Rook's CephClient calls the only key
// after the user. A person may have added the id of the Ceph.
func cephUser(c *servicev1.Ceph, secret map[string][]byte) string {
	user := cmp.Or(c.User, string(secret["user"]), string(secret["userID"]))
	names := slices.DeleteFunc(slices.Collect(maps.Keys(secret)), func(name string) bool { return name == "fsid" })
	if user == "" && len(names) == 1 {
		user = names[0]
	}
	return strings.TrimPrefix(user, "client.")
}

// cephKey is the user's key.
func cephKey(user string, secret map[string][]byte) []byte {
	for _, name := range []string{"key", "userKey", user} {
		if key := bytes.TrimSpace(secret[name]); len(key) > 0 {
			return key
		}
	}
	mine := false
	for lines := bufio.NewScanner(bytes.NewReader(secret["keyring"])); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			mine = line == "[client."+user+"]"
		}
		if name, value, ok := strings.Cut(line, "="); ok && mine && strings.TrimSpace(name) == "key" {
			return []byte(strings.TrimSpace(value))
		}
	}
	return nil
}
