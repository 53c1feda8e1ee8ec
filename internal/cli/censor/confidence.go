package censor

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// confidence is something confidential in the value of a Secret's key.
type confidence struct {
	// of is which part of the value it is; empty for all of it.
	of    string
	value string
	// sure tells that a name says so. Otherwise it only looks like something that was drawn.
	sure bool
}

const (
	// shortest is the length in bytes of a value that is looked for. Shorter ones stand everywhere by chance.
	shortest = 4
	// short is the length below which a value may stand in other words by chance, and simple the length below which one
	// of small letters may be a word of somebody's language.
	short  = 8
	simple = 12
	// lineLength is the shortest line that is looked for of what has several.
	lineLength = 32
)

var (
	// confidential are the keys of Secrets whose values nobody else may show.
	confidential = regexp.MustCompile(`(?i)(passw(or)?d|passphrase|secret|token|cookie|key$|^[0-9]+$)`)
	// public are those whose values everybody may see although they look as if they had been drawn, and programs.
	public = regexp.MustCompile(`(?i)(\.(crt|cert|csr|crl|pub|py|sh)$|^ca(-bundle)?(\.pem)?$|known_hosts|authorized_keys)`)
	// names are the keys of Secrets with names of users and of what they use.
	names = regexp.MustCompile(`(?i)^(user(-?name|id)?|database|vhost|namespace|project|domain|region)$`)
	// everywhere are words that some people have for passwords, and that stand in every text.
	everywhere = words(`true false none null yes enabled disabled default admin root user username guest test example
		demo dev prod local localhost service services system public internal private password passwd secret secrets token
		keys changeme openstack stackwright kubernetes controlplane cluster keystone glance placement nova neutron cinder
		heat horizon barbican octavia designate manila ironic swift magnum ceph rook rabbit rabbitmq galera mariadb mysql
		memcached http https file name kind spec data type status node nodes host hosts port image images config`)

	// option is a line of a file that gives a value to a name.
	option = regexp.MustCompile(`(?m)^\W*(?:export\s+)?([\w.-]+)["']?[ \t]*[=:][ \t]*(.*?)[ \t,;\r]*$`)
	// secretOption are the names of options whose values are passwords, and keyOption of those with keys, which are
	// names of something else as often.
	secretOption = regexp.MustCompile(`(?i)^[\w.-]*(passw(or)?d|passphrase|secret|token|cookie|pwd)s?$`)
	keyOption    = regexp.MustCompile(`(?i)^[\w.-]*(key|kek|auth|credential)s?$`)
	// account is the password in a URL. That of RabbitMQ has one before each of its hosts.
	account = regexp.MustCompile(`(?:://|,)[^\s:@/,"']*:([^\s@/,"']+)@`)
	// masked is what stands for a password in the URL of a text, and digest what stands behind the @ of an image.
	masked = regexp.MustCompile(`^(\*+|x{3,}|[<{\[].*|%\(.*|\$[({].*|\$[A-Z_]+)$`)
	digest = []byte("@sha256:")
	// marked is what was taken out already, and body what a key in PEM has at least, whatever else stands in its lines.
	marked = regexp.MustCompile(`\(taken out: ([^)]*)\)`)
	body   = regexp.MustCompile(`[A-Za-z0-9+/=]{32}`)
	// path is a file that is named in place of a key.
	path = regexp.MustCompile(`^(/[\w.-]+)+/?$`)
	// sealed is what is in PEM, with line feeds as they are, or as JSON has them.
	sealed = regexp.MustCompile(`(?s)-----BEGIN ([A-Z ]+)-----(.*?)-----END [A-Z ]+-----`)
	// long is what may have been drawn, cephKey is how Ceph writes its keys, and base32 how we write passwords.
	long    = regexp.MustCompile(`[A-Za-z0-9+/_=-]{20,}`)
	cephKey = regexp.MustCompile(`^AQ[A-Za-z0-9+/]{36}==$`)
	base32  = regexp.MustCompile(`^[A-Z2-7]+$`)
)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// confidences are what of a key's value nobody may show: the whole of it, or parts of a file.
func confidences(key string, value []byte) []confidence {
	if public.MatchString(key) {
		return nil
	}
	text, out := unsealed(strings.TrimSpace(string(value)))
	file := strings.Contains(text, "\n")
	switch sure := confidential.MatchString(key); {
	case sure && !file && text != "":
		out = append(out, confidence{"", text, true})
	case sure:
		out = append(out, lined(text)...)
	}
	for _, m := range option.FindAllStringSubmatch(text, -1) {
		out = append(out, optionOf(m[1], strings.Trim(m[2], `"'`))...)
	}
	var tree any
	if yaml.Unmarshal([]byte(text), &tree) == nil {
		out = append(out, leaves("", tree)...)
	}
	for _, c := range drawnIn(text) {
		if c.value == text {
			c.of = ""
		}
		out = append(out, c)
	}
	if len(out) > 0 && file {
		// As one finds a Secret that somebody has copied.
		out = append(out, confidence{"", base64.StdEncoding.EncodeToString(value), true})
	}
	return out
}

// unsealed returns a text without what is in PEM, and the lines of the private keys in it.
func unsealed(text string) (string, []confidence) {
	var out []confidence
	for _, m := range sealed.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "PRIVATE") {
			out = append(out, lined(strings.ReplaceAll(m[2], `\n`, "\n"))...)
		}
	}
	return strings.TrimSpace(sealed.ReplaceAllString(text, "")), out
}

// lined are the lines of what is confidential as a whole: texts indent and escape them in many ways.
func lined(text string) (out []confidence) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= lineLength {
			out = append(out, confidence{"", line, true})
		}
	}
	return out
}

// leaves are what is confidential in a tree of YAML or JSON.
func leaves(name string, tree any) (out []confidence) {
	switch v := tree.(type) {
	case map[string]any:
		for k, e := range v {
			out = append(out, leaves(k, e)...)
		}
	case []any:
		for _, e := range v {
			out = append(out, leaves(name, e)...)
		}
	case string:
		out = append(optionOf(name, v), drawnIn(v)...)
	case float64:
		out = optionOf(name, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return out
}

// optionOf is what is confidential in an option's value, which may be a list.
func optionOf(name, value string) (out []confidence) {
	sure := secretOption.MatchString(name)
	if !sure && !keyOption.MatchString(name) || path.MatchString(value) {
		return nil
	}
	if strings.Contains(value, ",") && sure {
		out = append(out, confidence{"option " + name, value, true})
	}
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.TrimSpace(v); sure || len(v) >= 2*short && strings.ContainsAny(v, "0123456789") &&
			!strings.ContainsAny(v, " .:") {
			out = append(out, confidence{"option " + name, v, sure})
		}
	}
	return out
}

// drawnIn are the passwords of URLs in a text, and what nobody would write: keys and passwords that were drawn.
func drawnIn(text string) (out []confidence) {
	for _, m := range account.FindAllStringSubmatch(text, -1) {
		password, err := url.PathUnescape(m[1])
		if err != nil {
			password = m[1]
		}
		out = append(out, confidence{"password of a URL", password, true})
	}
	for _, w := range long.FindAllString(text, -1) {
		if random(w) {
			out = append(out, confidence{"something drawn", w, false})
		}
	}
	return out
}

// keysIn are the private keys in a text that stand there in PEM, of whatever Secret. Of one that a Secret has, lines
// that are too short to be looked for may be left.
func keysIn(text []byte) (out []span) {
	for _, m := range sealed.FindAllSubmatchIndex(text, -1) {
		inside := text[m[4]:m[5]]
		if !bytes.Contains(text[m[2]:m[3]], []byte("PRIVATE")) {
			continue
		}
		if have := marked.FindSubmatch(inside); have != nil {
			out = append(out, span{m[4], m[5], string(have[1])})
		} else if body.Match(inside) {
			out = append(out, span{m[4], m[5], "private key"})
		}
	}
	return out
}

// passwordsIn are the passwords of URLs in a text, of whatever Secret.
func passwordsIn(text []byte) (out []span) {
	at := 0
	for line := range bytes.Lines(text) {
		if bytes.IndexByte(line, '@') >= 0 {
			for _, m := range account.FindAllSubmatchIndex(line, -1) {
				if !masked.Match(line[m[2]:m[3]]) && !bytes.HasPrefix(line[m[3]:], digest) {
					out = append(out, span{at + m[2], at + m[3], "password of a URL"})
				}
			}
		}
		at += len(line)
	}
	return out
}

// random tells whether a word looks as if dice had made it: the kind of its letters changes all the time, which it does
// in no name. Digests and ids, which are small letters and digits, tell nothing; a certificate, as kubeconfigs have it,
// is public.
func random(w string) bool {
	var small, great, digits, changes int
	last := rune(0)
	for _, r := range w {
		var kind rune
		switch {
		case r >= 'a' && r <= 'z':
			kind, small = 'a', small+1
		case r >= 'A' && r <= 'Z':
			kind, great = 'A', great+1
		case r >= '0' && r <= '9':
			kind, digits = '0', digits+1
		default:
			continue
		}
		if last != 0 && kind != last {
			changes++
		}
		last = kind
	}
	if strings.HasPrefix(w, certificate) {
		return false
	}
	return cephKey.MatchString(w) || base32.MatchString(w) && digits > 1 ||
		small > 0 && great > 0 && digits > 0 && changes*5 >= (small+great+digits)*2
}

// certificate is how one in PEM begins in base64.
const certificate = "LS0tLS1CRUdJTiBDRVJU"

// plain tells whether a value may be a word of somebody's language.
func plain(value string) bool {
	return len(value) < simple && strings.Trim(value[1:], "abcdefghijklmnopqrstuvwxyz") == "" && letter(value[0])
}

// number tells whether a value may count something.
func number(value string) bool { return len(value) < short && strings.Trim(value, "0123456789") == "" }
