package openstack

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// span is a range of microversions.
type span struct{ min, max string }

// Microversions returns the lowest and highest microversion of a service, empty when it has none. They are asked for
// once in the life of a token.
func (s *Session) Microversions(ctx context.Context, service string) (lowest, highest string, err error) {
	service = official(service)
	t, err := s.current(ctx)
	if err != nil {
		return "", "", err
	}
	if v, ok := t.versions.Load(service); ok {
		return v.(span).min, v.(span).max, nil
	}
	address, err := s.locate(ctx, t, service)
	if err != nil {
		return "", "", err
	}
	root, version := versionRoot(address)
	c, err := Request{Method: http.MethodGet, Owner: s.owner}.call(service, root)
	if err != nil {
		return "", "", err
	}
	res, err := s.try(ctx, c, t)
	if err != nil {
		return "", "", err
	}
	defer res.done()
	v, ok := readSpan(res, version)
	if !ok {
		return "", "", &Fault{Class: Unavailable, Service: service, Method: http.MethodGet, Path: root.Path, Code: res.Code,
			Message: "the answer does not describe the service's versions; look at what answers there"}
	}
	t.versions.Store(service, v)
	return v.min, v.max, nil
}

// versionDocument is how services describe themselves: Nova {"version": ...}, Cinder and Manila {"versions": [...]}
// with "version" as the highest, Placement and Magnum with "max_version".
type versionDocument struct {
	Version  versionEntry   `json:"version"`
	Versions []versionEntry `json:"versions"`
}

type versionEntry struct {
	ID      string `json:"id"`
	Lowest  string `json:"min_version"`
	Version string `json:"version"`
	Highest string `json:"max_version"`
}

func (v versionEntry) span() span { return span{v.Lowest, cmp.Or(v.Version, v.Highest)} }

// readSpan is false when the answer comes from something that is no such service.
func readSpan(res *Response, version string) (span, bool) {
	var d versionDocument
	err := json.Unmarshal(res.Body, &d)
	if err != nil {
		d = versionDocument{}
	}
	major, _, _ := strings.Cut(version, ".")
	for _, v := range append([]versionEntry{d.Version}, d.Versions...) {
		if s := v.span(); s.max != "" && strings.HasPrefix(v.ID, major) {
			return s, true
		}
	}
	lowest, highest := "", ""
	for _, h := range []string{"OpenStack-API-", "X-OpenStack-Ironic-API-"} {
		lowest = cmp.Or(lowest, lastWord(res.Header.Get(h+"Minimum-Version")))
		highest = cmp.Or(highest, lastWord(res.Header.Get(h+"Maximum-Version")))
	}
	return span{lowest, highest}, err == nil || highest != ""
}

// lastWord takes the version from "container-infra 1.11".
func lastWord(text string) string { return text[strings.LastIndex(text, " ")+1:] }
