package service

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func TestCephAccess(t *testing.T) {
	const ring = "[client.other]\n\tkey = no\n[client.cinder]\n\tkey = AQ==\n\tcaps mon = \"profile rbd\"\n"
	named := func(user string) string {
		return "[client." + user + "]\nkeyring = /etc/stackwright/config/ceph-a.keyring\n"
	}
	monitors := []string{"10.0.0.1:3300", "10.0.0.2:3300"}
	const of = "[global]\nmon_host = 10.0.0.1:3300,10.0.0.2:3300\n"
	for name, c := range map[string]struct {
		ceph    servicev1.Ceph
		secret  map[string]string
		conf    string
		user    string
		refused string
	}{
		"ours": {servicev1.Ceph{}, map[string]string{"ceph.conf": "[global]\nfsid = f\n", "user": "cinder", "key": "AQ==",
			"keyring": ring, "fsid": "f"}, "[global]\nfsid = f\n" + named("cinder"), "cinder", ""},
		"a keyring alone": {servicev1.Ceph{User: "client.cinder"},
			map[string]string{"ceph.conf": "[global]", "keyring": ring}, "[global]\n" + named("cinder"), "cinder", ""},
		"Rook's CephClient": {servicev1.Ceph{Monitors: monitors}, map[string]string{"volumes": "AQ=="},
			of + named("volumes"), "volumes", ""},
		"Rook's for CSI": {servicev1.Ceph{Monitors: monitors}, map[string]string{"userID": "csi", "userKey": "AQ==\n"},
			of + named("csi"), "csi", ""},
		"Rook's CephClient with its fsid": {servicev1.Ceph{Monitors: monitors},
			map[string]string{"volumes": "AQ==", "fsid": "f"}, of + named("volumes"), "volumes", ""},
		"no monitors": {servicev1.Ceph{Secret: "s"}, map[string]string{"userID": "csi", "userKey": "AQ=="}, "", "",
			"the Secret s has no ceph.conf; add it, or say in the field monitors"},
		"no user": {servicev1.Ceph{Secret: "s"}, map[string]string{"ceph.conf": "[global]", "key": "AQ=="}, "", "",
			"the Secret s names no user"},
		"no key": {servicev1.Ceph{Secret: "s", User: "nova"}, map[string]string{"ceph.conf": "[global]", "keyring": ring},
			"", "", "the Secret s has no key of the user nova"},
	} {
		t.Run(name, func(t *testing.T) {
			secret := map[string][]byte{}
			for k, v := range c.secret {
				secret[k] = []byte(v)
			}
			a, err := NewCephAccess("a", &c.ceph, secret)
			if c.refused != "" || err != nil {
				if err == nil || c.refused == "" || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("the error is %v, want %q in it", err, c.refused)
				}
				return
			}
			files := a.Files()
			if diff := cmp.Diff(c.conf, string(files["ceph-a.conf"])); diff != "" {
				t.Errorf("ceph.conf differs (-want +got):\n%s", diff)
			}
			want := "[client." + c.user + "]\nkey = AQ==\n"
			if got := string(files["ceph-a.keyring"]); got != want || a.User != c.user {
				t.Errorf("the keyring of %s is\n%s, want\n%s", a.User, got, want)
			}
		})
	}
}

// Two users of one Ceph have two keys on a host, and so have two Cephs with a user of the same name.
func TestSecretIDsDiffer(t *testing.T) {
	if SecretID("a", "nova") == SecretID("a", "cinder") || SecretID("a", "nova") == SecretID("b", "nova") {
		t.Error("two keys have one id")
	}
	// Servers that run remember the id, so it stays.
	if got, want := SecretID("a", "nova"), "06aa7181-fae2-5b89-988e-31230fcdea2a"; got != want {
		t.Errorf("the id is %s, want %s", got, want)
	}
}

// A host can keep one key by one id: another one by the same is refused, and one user that is named twice is not.
func TestOneKeyOfAnID(t *testing.T) {
	user := func(secret, fsid, user, key string) *CephAccess {
		a, err := NewCephUser(&servicev1.Ceph{Secret: secret, User: user},
			map[string][]byte{"fsid": []byte(fsid), "key": []byte(key)})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := user("first", "", "volumes", "AQ==")
	for name, c := range map[string]struct {
		second *CephAccess
		ok     bool
	}{
		"another key":            {user("second", "", "volumes", "AR=="), false},
		"the same key":           {user("second", "", "volumes", "AQ=="), true},
		"another key of another": {user("second", "", "images", "AR=="), true},
		"another key elsewhere":  {user("second", "f", "volumes", "AR=="), true},
	} {
		err := OneKeyEach([]*CephAccess{user("other", "", "other", "AS=="), first, c.second})
		if (err == nil) != c.ok {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
