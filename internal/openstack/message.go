package openstack

import (
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// longestMessage is as much of a message as a condition should carry.
const longestMessage = 600

// message digs what a service has to say to people out of an answer, whichever envelope it uses:
//
//	Keystone, Heat      {"error": {"message": ...}}, Heat also "explanation"
//	Neutron             {"NeutronError": {"message": ...}}
//	Nova, Cinder, ...   {"badRequest": {"message": ...}}, the key is the kind of error
//	Octavia             {"faultstring": ...}
//	Ironic, Watcher     {"error_message": "{\"faultstring\": ...}"}, JSON in a string or not
//	Designate           {"message": ..., "errors": {"errors": [{"message": ...}]}}
//	Barbican            {"title": ..., "description": ...}
//	Placement, Magnum   {"errors": [{"title": ..., "detail": ...}]}
//	Glance              {"message": ..., "code": "409 Conflict"}, with tags for the ends of lines
//	Swift, proxies      HTML or plain text
func message(code int, body []byte) string {
	var v any
	var text string
	if err := json.Unmarshal(body, &v); err == nil {
		text = dig(v, 0)
	} else {
		text = plain(string(body))
	}
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		text = http.StatusText(code)
	}
	return shorten(text)
}

// messageKeys are keys that have a message or an object with one, best first.
var messageKeys = []string{"faultstring", "message", "detail", "description", "cause", "error_message", "error",
	"explanation", "title"}

// deepest is as deep as any service nests its messages; JSON of an attacker may nest deeper.
const deepest = 6

func dig(v any, depth int) string {
	if depth > deepest {
		return ""
	}
	switch x := v.(type) {
	case string:
		var inner any
		if strings.HasPrefix(x, "{") && json.Unmarshal([]byte(x), &inner) == nil {
			return dig(inner, depth+1)
		}
		return plain(x)
	case []any:
		return join(x, depth+1)
	case map[string]any:
		return digObject(x, depth+1)
	}
	return ""
}

func digObject(m map[string]any, depth int) string {
	head := ""
	for _, k := range messageKeys {
		if head = dig(m[k], depth); head != "" {
			break
		}
	}
	if more := dig(m["errors"], depth); more != "" && more != head {
		return strings.TrimPrefix(head+": "+more, ": ")
	}
	if head != "" {
		return head
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if _, isText := m[k].(string); isText && len(m) > 1 {
			continue
		}
		if text := dig(m[k], depth); text != "" {
			return text
		}
	}
	return ""
}

func join(list []any, depth int) string {
	var texts []string
	for _, v := range list {
		if text := dig(v, depth); text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

var (
	htmlHead = regexp.MustCompile(`(?is)<(head|title|style|script)\b.*?</(head|title|style|script)>`)
	htmlTag  = regexp.MustCompile(`<[^>]*>`)
	page     = regexp.MustCompile(`(?i)<html|<!doctype`)
	// lineEnd is what WebOb ends lines with in JSON, too: all of Glance's messages have it.
	lineEnd = regexp.MustCompile(`(?i)<br ?/?>`)
)

// plain takes the tags out of a page.
func plain(text string) string {
	if !page.MatchString(text) {
		return lineEnd.ReplaceAllString(text, " ")
	}
	return html.UnescapeString(htmlTag.ReplaceAllString(htmlHead.ReplaceAllString(text, " "), " "))
}

func shorten(text string) string {
	r := []rune(strings.ToValidUTF8(text, "?"))
	if len(r) <= longestMessage {
		return string(r)
	}
	return string(r[:longestMessage]) + "..."
}
