// Package database is the operator of Database: a schema in a Galera cluster with an account of its own, made by the
// agent of the member that takes the writes.
package database

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/external"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/infra/galera"
	"stackwright.dev/stackwright/internal/pki"
)

type (
	object = *infrav1.Database
	scope  = step.Scope[object]
)

// Names of steps and references.
const (
	stepSecret = "secret"
	refGalera  = "galera"
	refAgent   = "agent"
	refTLS     = "tls"
	refSecret  = "password"
)

// Keys of a Database's Secret.
const (
	KeyHost       = "host"
	KeyPort       = "port"
	KeyDatabase   = "database"
	KeyUsername   = "username"
	KeyPassword   = "password"
	KeyConnection = "connection"
	KeyCA         = "ca.crt"
	keyRotated    = "rotated"
)

// SecretName is the Secret that a Database gives to its users.
func SecretName(name string) string { return name + "-db" }

// Definition is the operator. Agents are called through dial.
func Definition(dial galera.Dial) kit.Definition[object] {
	return kit.Definition[object]{
		Name: "database",
		New:  func() object { return &infrav1.Database{} },
		Refs: []ref.Ref[object]{
			ref.Local(refGalera, &infrav1.Galera{}, func(d object) string { return d.Spec.Galera },
				ref.WaitFor[object](running), ref.DigestOf[object](cluster)),
			ref.Local(refAgent, &corev1.Secret{}, func(d object) string { return galera.AgentSecret(d.Spec.Galera) },
				ref.Fields[object](pki.CAKey, pki.AgentClientCert, pki.AgentClientKey)),
			ref.Local(refTLS, &corev1.Secret{}, func(d object) string { return galera.TLSSecret(d.Spec.Galera) },
				ref.Fields[object](pki.CAKey), ref.Optional[object]()),
			ref.Local(refSecret, &corev1.Secret{}, func(d object) string { return SecretName(d.Name) },
				ref.Fields[object](KeyPassword)),
		},
		Steps: []step.Step[object]{
			step.Secret(stepSecret, secret, func(d object) string { return SecretName(d.Name) },
				step.Reads[object](refGalera, refTLS),
				step.KeepWhen(func(d object) bool { return d.Spec.DeletionPolicy != infrav1.DeleteData })),
			step.External("schema", step.Externals[object, mariadb.Database, struct{}]{
				Dial: connect(dial), Want: want, Policy: policy,
			}, step.After[object](stepSecret), step.Reads[object](refGalera, refAgent, refSecret),
				step.Condition[object]("DatabaseReady")),
		},
		Report: report,
	}
}

// running is the gate of the cluster: it takes writes, though not all of its members may serve.
func running(obj client.Object) (bool, string) {
	g, ok := obj.(*infrav1.Galera)
	if !ok {
		return false, "The cluster is not readable."
	}
	c := meta.FindStatusCondition(g.Status.Conditions, galera.ConditionMembers)
	switch {
	case g.DeletionTimestamp != nil:
		return false, "Galera " + g.Name + " is being deleted; make it again, or delete this Database."
	case c == nil || g.Status.Writer == "":
		return false, "Galera " + g.Name + " has not started yet; see its conditions."
	case c.Status != metav1.ConditionTrue:
		return false, "Galera " + g.Name + " takes no writes; see its conditions."
	}
	return true, ""
}

// cluster is what of a Galera a Database depends on: whether it runs, its history, and how clients reach it. Which of
// its members takes the writes is none of it.
func cluster(obj client.Object) string {
	g, ok := obj.(*infrav1.Galera)
	if !ok {
		return ""
	}
	up, _ := running(obj)
	return fmt.Sprintf("%s/%t/%t/%s", g.UID, up, g.Spec.TLS.Disabled, g.Status.ClusterID)
}

func schemaName(d object) string {
	return cmp.Or(d.Spec.Database, strings.ReplaceAll(d.Name, "-", "_"))
}

func username(d object) string { return cmp.Or(d.Spec.Username, schemaName(d)) }

// secret keeps the password and says how to connect.
func secret(s *scope, have map[string][]byte) (*step.Generated, error) {
	d := s.Owner()
	g, ok := s.Get(refGalera).(*infrav1.Galera)
	if !ok {
		return nil, fmt.Errorf("reading Galera %s", d.Spec.Galera)
	}
	// The line feed that echo leaves behind a password is not part of it.
	password, rotated := strings.TrimRight(string(have[KeyPassword]), "\r\n"), d.Spec.RotatePassword
	if password == "" || rotated != string(have[keyRotated]) {
		b := make([]byte, 24)
		_, _ = rand.Read(b)
		password = base64.RawURLEncoding.EncodeToString(b)
	}
	host := galera.Host(g.Name, g.Namespace)
	data := map[string]string{
		KeyHost: host, KeyPort: strconv.Itoa(galera.Port), KeyDatabase: schemaName(d), KeyUsername: username(d),
		KeyPassword: password, KeyConnection: fmt.Sprintf("mysql+pymysql://%s:%s@%s:%d/%s?charset=%s",
			username(d), escape(password), host, galera.Port, schemaName(d), charset(d)),
	}
	if rotated != "" {
		data[keyRotated] = rotated
	}
	if !g.Spec.TLS.Disabled {
		data[KeyCA] = s.Value(refTLS, pki.CAKey)
	}
	out := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{}}
	for k, v := range data {
		out.Data[k] = []byte(v)
	}
	return &step.Generated{Secret: out}, s.Err()
}

func charset(d object) string { return cmp.Or(d.Spec.CharacterSet, "utf8mb4") }

// want is the schema and the account.
func want(s *scope) (mariadb.Database, error) {
	d := s.Owner()
	tls := true
	if g, ok := s.Get(refGalera).(*infrav1.Galera); ok {
		tls = !g.Spec.TLS.Disabled
	}
	return mariadb.Database{Name: schemaName(d), CharacterSet: charset(d), User: username(d),
		Password: s.Value(refSecret, KeyPassword), RequireTLS: tls, Owner: ownerName(d)}, nil
}

func ownerName(d object) string { return d.Namespace + "/" + d.Name }

func policy(d object) external.Policy {
	return external.Policy{NoDelete: d.Spec.DeletionPolicy != infrav1.DeleteData}
}

func report(_ step.View, d object) {
	d.Status.SecretName = SecretName(d.Name)
	d.Status.Host = galera.Host(d.Spec.Galera, d.Namespace)
	d.Status.Database = schemaName(d)
}
