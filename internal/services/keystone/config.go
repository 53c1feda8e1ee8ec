package keystone

import (
	"strings"

	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// configFile is the key of the configuration Secret that has the options.
const configFile = "keystone.conf"

// logLevels are upstream's, and silence about one thing: folders of Secrets can be read by everybody in the container,
// which is one user, and Keystone would say so for each token.
const logLevels = "amqp=WARN,amqplib=WARN,boto=WARN,qpid=WARN,sqlalchemy=WARN,suds=INFO,oslo.messaging=INFO," +
	"oslo_messaging=INFO,iso8601=WARN,requests.packages.urllib3.connectionpool=WARN,urllib3.connectionpool=WARN," +
	"websocket=WARN,requests.packages.urllib3.util.retry=WARN,urllib3.util.retry=WARN,keystonemiddleware=WARN," +
	"routes.middleware=WARN,stevedore=WARN,taskflow=WARN,keystoneauth=WARN,oslo.cache=INFO,oslo_policy=INFO," +
	"dogpile.core.dogpile=INFO,keystone.common.fernet_utils=ERROR"

// options sets what differs from upstream's defaults.
func options(s *scope, f *oslo.File) {
	k := s.Owner()
	f.Set(oslo.Default, "default_log_levels", logLevels)
	f.Set("fernet_tokens", "key_repository", service.Folder+"/fernet")
	f.Set("fernet_receipts", "key_repository", service.Folder+"/fernet")
	f.Set("credential", "key_repository", credentialFolder)
	// It is what bcrypt takes, and Keystone cuts longer ones down to it with a warning for each login.
	f.Set("identity", "max_password_length", 72)
	// Who reads a user while it is deleted puts it into the cache again after it was taken out. A user of the same name
	// that is made next, as by a service that comes back, could not log in until the entry is too old.
	f.Set("identity", "cache_time", 10)
	if k.Spec.RabbitMQ != "" {
		service.Notify(f)
	}
}

// number reads a whole number from the composed configuration, or upstream's default.
func number(f *oslo.File, section, option string, otherwise int) int {
	text, ok := f.Value(section, option)
	if !ok {
		return otherwise
	}
	n := 0
	for _, digit := range strings.TrimSpace(text) {
		if digit < '0' || digit > '9' {
			return otherwise
		}
		n = n*10 + int(digit-'0')
	}
	return n
}
