package openstack

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// secretKey matches keys of bodies whose values services quote in errors but nobody should see: Keystone answers an
// invalid password with the password.
var secretKey = regexp.MustCompile(
	`(?i)pass(word|wd|code|phrase)?$|secret$|secret_key|token$|private_key|payload$|user_?data$|blob$`)

// redact replaces secrets in a text that others wrote.
func redact(text string, secrets []string) string {
	// Longer ones first: one may be part of another.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, s := range secrets {
		// What is shorter than four characters is in any text.
		if len(s) > 3 {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return text
}

// secretsIn collects the secrets of a JSON body. An object below such a key is looked at key by key: Keystone's
// method "password" has the name of the user in it.
func secretsIn(body []byte) []string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return nil
	}
	return collect(v, false)
}

func collect(v any, secret bool) (list []string) {
	switch x := v.(type) {
	case string:
		if secret {
			list = append(list, x)
		}
	case []any:
		for _, e := range x {
			list = append(list, collect(e, secret)...)
		}
	case map[string]any:
		for k, e := range x {
			list = append(list, collect(e, secretKey.MatchString(k))...)
		}
	}
	return list
}
