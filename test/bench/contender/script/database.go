package script

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// Databases makes every schema and its account, in SQL.
func Databases(cloud *capture.Cloud) string {
	var b strings.Builder
	for _, d := range cloud.Of("infra.stackwright.dev", "Database") {
		s := cloud.Secrets[d.GetName()+"-db"]
		if s == nil {
			continue
		}
		charset, _, _ := nested(d.Object, "spec", "characterSet")
		name, user := string(s.Data["database"]), string(s.Data["username"])
		fmt.Fprintf(&b, "CREATE DATABASE `%s` CHARACTER SET %s;\n", name, or(charset, "utf8mb4"))
		fmt.Fprintf(&b, "CREATE USER '%s'@'%%' IDENTIFIED BY '%s' REQUIRE SSL;\n", user,
			strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(string(s.Data["password"])))
		fmt.Fprintf(&b, "GRANT ALL PRIVILEGES ON `%s`.* TO '%s'@'%%';\n", strings.ReplaceAll(name, "_", `\_`), user)
	}
	return b.String()
}

// Buses makes every virtual host and its user, as a file that the broker reads when it starts.
func Buses(cloud *capture.Cloud) ([]byte, error) {
	type object = map[string]any
	users, hosts, permissions := []object{}, []object{}, []object{}
	for _, s := range cloud.Made("MessageBus") {
		user, host := string(s.Data["username"]), string(s.Data["vhost"])
		users = append(users, object{"name": user, "password_hash": hash(string(s.Data["password"])),
			"hashing_algorithm": "rabbit_password_hashing_sha256", "tags": []string{}, "limits": object{}})
		hosts = append(hosts, object{"name": host, "default_queue_type": "quorum",
			"metadata": object{"default_queue_type": "quorum"}})
		permissions = append(permissions, object{"user": user, "vhost": host, "configure": ".*", "write": ".*",
			"read": ".*"})
	}
	return json.Marshal(object{"users": users, "vhosts": hosts, "permissions": permissions})
}

// hash is RabbitMQ's salted one of a password.
func hash(password string) string {
	salt := make([]byte, 4)
	_, _ = rand.Read(salt) // never fails
	sum := sha256.Sum256(slices.Concat(salt, []byte(password)))
	return base64.StdEncoding.EncodeToString(slices.Concat(salt, sum[:]))
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
