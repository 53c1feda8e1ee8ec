// Package script is what a person would write to make a cloud of what was captured: how to start the daemons that our
// agents look after, and what to tell databases, the bus and Keystone.
package script

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Alone starts the daemon of a pod whose agent takes orders from our operators without that agent, as the first of its
// cluster; ok is false for other pods. The pod that comes back is ready when the daemon takes connections.
func Alone(pod *corev1.Pod) (alone *corev1.Pod, ok bool) {
	command := pod.Spec.Containers[0].Command
	if len(command) < 2 || command[0] != "stackwright-agent" {
		return pod, false
	}
	starts := map[string]func(flag func(string) string) (string, string){
		"mariadb": mariadb, "rabbitmq": rabbitmq, "ovsdb": ovsdb}
	start, ok := starts[command[1]]
	if !ok {
		return pod, false
	}
	text, port := start(func(name string) string { return flag(command, name) })
	alone = pod.DeepCopy()
	c := &alone.Spec.Containers[0]
	c.Command = []string{"sh", "-ec", text}
	c.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		TCPSocket: &corev1.TCPSocketAction{Port: intstr.Parse(port)}}}
	return alone, true
}

// flag is the value of one of a command line.
func flag(command []string, name string) string {
	for _, a := range command {
		if v, ok := strings.CutPrefix(a, "--"+name+"="); ok {
			return v
		}
	}
	return ""
}

func mariadb(flag func(string) string) (text, port string) {
	return fmt.Sprintf(`data=%[1]s/data run=%[2]s config=%[3]s
mkdir -p $run/tmp
mariadb-install-db --defaults-file=$config --datadir=$data --auth-root-authentication-method=socket \
	--auth-root-socket-user=mysql --skip-test-db --skip-name-resolve
exec mariadbd --defaults-file=$config --datadir=$data --socket=$run/mysqld.sock --pid-file=$run/mysqld.pid \
	--tmpdir=$run/tmp --wsrep-node-name=$POD_NAME --wsrep-node-address=$POD_IP --read-only=OFF --wsrep-new-cluster
`, flag("volume"), flag("run"), flag("config")), "3306"
}

// Definitions is the file, in the folder of its configuration, that the broker reads users and virtual hosts from.
const Definitions = "definitions.json"

func rabbitmq(flag func(string) string) (text, port string) {
	return fmt.Sprintf(`export HOME=/run/rabbitmq LC_ALL=C.UTF-8 RABBITMQ_LOGS=- RUNNING_UNDER_SYSTEMD=true
config=/etc/stackwright/rabbitmq
mkdir $HOME/conf.d
cat $config/rabbitmq.conf >$HOME/conf.d/10-rabbitmq.conf
echo load_definitions = $config/%[2]s >$HOME/conf.d/20-definitions.conf
(umask 377; tr -d '\n' </etc/stackwright/cookie/cookie >$HOME/.erlang.cookie)
export RABBITMQ_NODENAME=rabbit@$POD_NAME.%[1]s RABBITMQ_USE_LONGNAME=true RABBITMQ_CONF_ENV_FILE=/dev/null
export RABBITMQ_CONFIG_FILES=$HOME/conf.d RABBITMQ_ADVANCED_CONFIG_FILE=$config/advanced.config
export RABBITMQ_ENABLED_PLUGINS_FILE=$config/enabled_plugins RABBITMQ_GENERATED_CONFIG_DIR=$HOME/generated
export RABBITMQ_MNESIA_BASE=/var/lib/rabbitmq RABBITMQ_MNESIA_DIR=/var/lib/rabbitmq/data RABBITMQ_PID_FILE=$HOME/pid
export RABBITMQ_FEATURE_FLAGS_FILE=/var/lib/rabbitmq/feature_flags
export RABBITMQ_PLUGINS_EXPAND_DIR=/var/lib/rabbitmq/plugins
export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-proto_dist inet_tls -ssl_dist_optfile $config/distribution.config"
exec /usr/lib/rabbitmq/bin/rabbitmq-server
`, flag("domain"), Definitions), flag("port")
}

func ovsdb(flag func(string) string) (text, port string) {
	return fmt.Sprintf(`file=/var/lib/ovn/database run=/run/ovn tls=/etc/stackwright/tls
ovsdb-tool --election-timer=%[1]s create-cluster $file %[2]s ssl:$POD_NAME.%[3]s:%[4]s
cat >$run/remotes.json <<end
{"remotes": {"punix:$run/database.sock": {}, "pssl:%[5]s:$POD_IP": {"inactivity-probe": %[6]s}},
 "databases": {"$file": {}}}
end
exec ovsdb-server --config-file=$run/remotes.json --unixctl=$run/database.ctl --private-key=$tls/tls.key \
	--certificate=$tls/tls.crt --ca-cert=$tls/ca.crt -vconsole:info -vsyslog:off
`, flag("election-timer"), flag("schema"), flag("domain"), flag("raft-port"), flag("port"),
		flag("inactivity-probe")), flag("port")
}

// lines joins commands of a batch.
func lines(commands ...[]string) string {
	var b strings.Builder
	for _, c := range commands {
		b.WriteString(strings.Join(quoted(c), " ") + "\n")
	}
	return b.String()
}

// quoted keeps words whole that the client would part.
func quoted(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if w == "" || strings.ContainsAny(w, " \t'\"\\$;|&()*?") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return out
}
