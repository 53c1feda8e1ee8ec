package oslo

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stackwright.dev/stackwright/internal/image/catalogue"
)

// Names of a domain may have underscores, names of a host may not.
const (
	hostLabel   = `[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?`
	domainLabel = `[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9])?`
)

var (
	hostname   = regexp.MustCompile(`^` + hostLabel + `(\.` + hostLabel + `)*\.?$`)
	hostDomain = regexp.MustCompile(`^` + domainLabel + `(\.` + domainLabel + `)*\.?$`)
)

// booleans are the words that oslo.config takes for yes and no.
var booleans = []string{"true", "1", "on", "yes", "false", "0", "off", "no"}

// lineEnds are the characters that end a line for oslo.config, which reads with Python's universal line feeds.
const lineEnds = "\r\n"

// wrong returns what a value must be, or empty when it is that.
func wrong(t catalogue.Type, value string) string {
	if strings.ContainsAny(value, lineEnds) && t.Kind != catalogue.KindOther {
		return "one line"
	}
	if strings.Contains(strings.ReplaceAll(value, "$$", ""), "$") {
		// The value of another option is put in place of $name; what it comes to is not known here.
		return ""
	}
	switch t.Kind {
	case catalogue.KindList, catalogue.KindDict:
		return wrongItems(t, value)
	case catalogue.KindString:
		return wrongText(t, value)
	}
	return wrongScalar(t, strings.TrimSpace(value))
}

func wrongScalar(t catalogue.Type, value string) string {
	switch t.Kind {
	case catalogue.KindBoolean:
		return unless(slices.Contains(booleans, strings.ToLower(value)), "true or false")
	case catalogue.KindInteger, catalogue.KindPort:
		return wrongNumber(t, value, "an integer")
	case catalogue.KindFloat:
		return wrongNumber(t, value, "a number")
	case catalogue.KindRange:
		from, to, both := strings.Cut(value, "-")
		return unless(integer(from) && (!both || integer(to)), "a number or a range such as 1-5")
	case catalogue.KindIPAddress:
		return unless(address(value, t.Version), addressName(t.Version))
	case catalogue.KindHost:
		return unless(address(value, t.Version) || hostname.MatchString(value), "an IP address or a host name")
	case catalogue.KindHostname:
		return unless(hostname.MatchString(value), "a host name")
	case catalogue.KindHostDomain:
		return unless(address(value, t.Version) || hostDomain.MatchString(value), "an IP address or a domain name")
	case catalogue.KindURI:
		return wrongURI(t, value)
	}
	return ""
}

func unless(right bool, what string) string {
	if right {
		return ""
	}
	return what
}

func wrongItems(t catalogue.Type, value string) string {
	if t.Bounds {
		if !strings.HasPrefix(value, "[") || !strings.HasSuffix(value, "]") {
			return "a list in brackets, such as [a,b]"
		}
		value = value[1 : len(value)-1]
	}
	if strings.TrimSpace(value) == "" {
		return ""
	}
	for item := range strings.SplitSeq(value, ",") {
		if t.Kind == catalogue.KindDict {
			key, of, ok := strings.Cut(item, ":")
			if !ok || strings.TrimSpace(key) == "" {
				return "pairs, such as a:1,b:2"
			}
			item = of
		}
		if t.Items == nil {
			continue
		}
		if why := wrong(*t.Items, strings.TrimSpace(item)); why != "" {
			return "a list of which each item is " + why
		}
	}
	return ""
}

func wrongText(t catalogue.Type, value string) string {
	if why := wrongChoice(t, value); why != "" {
		return why
	}
	if t.MaxLength > 0 && len([]rune(value)) > t.MaxLength {
		return fmt.Sprintf("at most %d characters long", t.MaxLength)
	}
	if t.Regex == "" {
		return ""
	}
	pattern := t.Regex
	if t.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	// Python knows patterns that Go does not; those are left to the service.
	re, err := regexp.Compile(pattern)
	return unless(err != nil || re.MatchString(value), "a text that matches "+t.Regex)
}

func wrongChoice(t catalogue.Type, value string) string {
	if len(t.Choices) == 0 {
		return ""
	}
	var names []string
	for _, choice := range t.Choices {
		name := fmt.Sprint(choice)
		if name == value || (t.IgnoreCase && strings.EqualFold(name, value)) {
			return ""
		}
		names = append(names, name)
	}
	if near := nearest(value, slices.Values(names)); near != "" {
		return fmt.Sprintf("one of %s (did you mean %s?)", strings.Join(names, ", "), near)
	}
	return "one of " + strings.Join(names, ", ")
}

func wrongNumber(t catalogue.Type, value, what string) string {
	if t.Kind == catalogue.KindPort {
		what, t.Min = "a port number", orNumber(t.Min, "0")
		t.Max = orNumber(t.Max, "65535")
	}
	limits := what
	if t.Min != "" {
		limits += " of at least " + t.Min.String()
	}
	if t.Max != "" {
		limits += " and at most " + t.Max.String()
		if t.Min == "" {
			limits = what + " of at most " + t.Max.String()
		}
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || (t.Kind != catalogue.KindFloat && !integer(value)) {
		return limits
	}
	low, lowErr := t.Min.Float64()
	high, highErr := t.Max.Float64()
	if (lowErr == nil && number < low) || (highErr == nil && number > high) {
		return limits
	}
	return wrongChoice(t, value)
}

func orNumber(have, otherwise json.Number) json.Number {
	if have != "" {
		return have
	}
	return otherwise
}

func integer(value string) bool {
	_, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	return err == nil
}

func address(value string, version int) bool {
	ip, err := netip.ParseAddr(value)
	return err == nil && (version == 0 || (version == 4) == ip.Is4())
}

func addressName(version int) string {
	if version == 0 {
		return "an IP address"
	}
	return fmt.Sprintf("an IPv%d address", version)
}

func wrongURI(t catalogue.Type, value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Scheme == "" {
		return "a URI, such as https://example.org/"
	}
	if len(t.Schemes) > 0 && !slices.Contains(t.Schemes, u.Scheme) {
		return "a URI of scheme " + strings.Join(t.Schemes, " or ")
	}
	return ""
}
