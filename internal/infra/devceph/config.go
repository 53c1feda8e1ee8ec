package devceph

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// Keys of the Secret of a client, which is the shape in which services take any Ceph.
const (
	keyConf    = "ceph.conf"
	keyKeyring = "keyring"
	keyUser    = "user"
	keyKey     = "key"
	keyFSID    = "fsid"
)

// keyClients is the keyring of all clients, with what each may do.
const keyClients = "clients"

// daemons are the users that Ceph is itself.
func daemons() []user {
	return []user{
		{"mon.", "mon", []string{"mon", "allow *"}},
		{"client.admin", "admin", []string{"mon", "allow *", "mgr", "allow *", "osd", "allow *"}},
		{"mgr.a", "mgr", []string{"mon", "allow profile mgr", "osd", "allow *"}},
		{"osd.0", "osd", []string{"mon", "allow profile osd", "mgr", "allow profile osd", "osd", "allow *"}},
	}
}

// user is one of Ceph's.
type user struct {
	name string
	// secret is the key of the Secret that has the user's key.
	secret string
	// caps are services, each with what the user may do there.
	caps []string
}

// clientUser may do with block devices what the spec says.
func clientUser(c infrav1.DevCephClient) user {
	u := user{name: "client." + c.Name, secret: "client." + c.Name, caps: []string{"mon", "profile rbd"}}
	var osd, mgr []string
	for _, p := range c.Pools {
		osd, mgr = append(osd, "profile rbd pool="+p), append(mgr, "profile rbd pool="+p)
	}
	for _, p := range c.ReadOnlyPools {
		osd = append(osd, "profile rbd-read-only pool="+p)
	}
	if len(osd) > 0 {
		u.caps = append(u.caps, "osd", strings.Join(osd, ", "))
	}
	if len(mgr) > 0 {
		u.caps = append(u.caps, "mgr", strings.Join(mgr, ", "))
	}
	return u
}

// keyring is what programs of Ceph read users from.
func keyring(keys map[string][]byte, users ...user) []byte {
	var b strings.Builder
	for _, u := range users {
		fmt.Fprintf(&b, "[%s]\n\tkey = %s\n", u.name, keys[u.secret])
		for i := 0; i+1 < len(u.caps); i += 2 {
			fmt.Fprintf(&b, "\tcaps %s = \"%s\"\n", u.caps[i], u.caps[i+1])
		}
	}
	return []byte(b.String())
}

// newKey is a key as Ceph writes it: the kind, 1 for AES, the time of making, the length, and 16 bytes that nobody can
// guess. Nothing looks at the time.
func newKey() []byte {
	key := binary.LittleEndian.AppendUint16(nil, 1)
	key = append(key, make([]byte, 8)...)
	key = binary.LittleEndian.AppendUint16(key, 16)
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // never fails, says its documentation
	return []byte(base64.StdEncoding.EncodeToString(append(key, secret...)))
}

// newID is a random UUID.
func newID() []byte {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// keys are made once. Without them the data on the volume is nobody's, so those of a Ceph that runs are not made anew.
func keys(s *scope, have map[string][]byte) (*step.Generated, error) {
	d := s.Owner()
	if len(have) == 0 && d.Status.FSID != "" {
		return nil, outcome.Invalidf("Secret %s is gone, and with it what the volume is read by; restore it, "+
			"or delete the DevCeph and PersistentVolumeClaim %s and make another one", keysName(d), volumeName(d))
	}
	data := map[string][]byte{keyFSID: have[keyFSID]}
	if len(data[keyFSID]) == 0 {
		data[keyFSID] = newID()
	}
	users := daemons()
	for _, c := range d.Spec.Clients {
		users = append(users, clientUser(c))
	}
	for _, u := range users {
		data[u.secret] = have[u.secret]
		if len(data[u.secret]) == 0 {
			data[u.secret] = newKey()
		}
	}
	return &step.Generated{Secret: &corev1.Secret{ObjectMeta: meta(d, keysName(d)), Data: data}}, nil
}

// common is what everybody reads who talks to the monitor.
func common(s *scope) (string, error) {
	d := s.Owner()
	ip := address(s.Child(stepAccess, "Service", d.Name))
	if ip == "" {
		return "", &outcome.Missing{On: "Service " + d.Name, Message: "the Service has no address yet; see kubectl " +
			"describe service " + d.Name}
	}
	return fmt.Sprintf("[global]\nfsid = %s\nmon_host = [v2:%s:%d,v1:%s:%d]\n", s.Content(refKeys)[keyFSID], ip, Port,
		ip, portV1), nil
}

// config is what the daemons read, and the Job that makes pools and users.
func config(s *scope) ([]client.Object, error) {
	d, have := s.Owner(), s.Content(refKeys)
	all, err := common(s)
	if err != nil {
		return nil, err
	}
	var users []user
	for _, c := range d.Spec.Clients {
		users = append(users, clientUser(c))
	}
	return []client.Object{&corev1.Secret{ObjectMeta: meta(d, configName(d)), Data: map[string][]byte{
		keyConf: []byte(all + daemonConf(d)), keyKeyring: keyring(have, daemons()...),
		keyClients: keyring(have, users...),
	}}}, nil
}

// clients are a Secret for each client.
func clients(s *scope) ([]client.Object, error) {
	d, have := s.Owner(), s.Content(refKeys)
	all, err := common(s)
	if err != nil {
		return nil, err
	}
	var out []client.Object
	for _, c := range d.Spec.Clients {
		u := clientUser(c)
		out = append(out, &corev1.Secret{ObjectMeta: meta(d, ClientSecret(d.Name, c.Name)), Data: map[string][]byte{
			keyConf: []byte(all), keyKeyring: keyring(have, user{name: u.name, secret: u.secret}),
			keyUser: []byte(c.Name), keyKey: have[u.secret], keyFSID: have[keyFSID],
		}})
	}
	return out, nil
}

// daemonConf makes Ceph content with one disk, which is a file, and lets it say what it has to say on its console.
func daemonConf(d object) string {
	return fmt.Sprintf(`mon_initial_members = a
keyring = %s/keyring
osd_pool_default_size = 1
osd_pool_default_min_size = 1
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
osd_pool_default_pg_num = 8
osd_crush_chooseleaf_type = 0
auth_allow_insecure_global_id_reclaim = false
mon_data_avail_warn = 5
mon_data_avail_crit = 1
log_to_file = false
log_to_stderr = true
mon_cluster_log_to_file = false
[osd]
bluestore_block_size = %d
bluestore_block_create = true
osd_memory_target = %d
`, confDir, blockSize(d), osdMemory)
}

// address of the monitor, whatever pod it runs in: it is in the map of monitors that every client keeps.
func address(service client.Object) string {
	if s, ok := service.(*corev1.Service); ok {
		return s.Spec.ClusterIP
	}
	return ""
}
