package apiserver

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// verbs that every kind has.
var verbs = metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// tour keeps answers about the API by path, for servers with the same kinds: each process of an operator asks.
type tour struct{ answers sync.Map }

func (t *tour) guide(s *Server, path string) (answer, bool) {
	if raw, ok := t.answers.Load(path); ok {
		return plain(http.StatusOK, raw.([]byte)), true
	}
	a, ok := s.discover(path)
	if b, whole := a.body.(*bytes.Reader); ok && whole && a.code == http.StatusOK {
		raw, err := io.ReadAll(b)
		if err != nil {
			return answer{}, false
		}
		t.answers.Store(path, raw)
		a.body = bytes.NewReader(raw)
	}
	return a, ok
}

// discover answers requests about the API itself.
func (s *Server) discover(path string) (answer, bool) {
	path = strings.Trim(path, "/")
	switch path {
	case "version":
		return encoded(http.StatusOK, version.Info{Major: "1", Minor: "36", GitVersion: "v1.36.3"}), true
	case "healthz", "livez", "readyz":
		return plain(http.StatusOK, []byte("ok")), true
	case "api":
		return encoded(http.StatusOK, metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{"v1"},
		}), true
	case "apis":
		return encoded(http.StatusOK, s.groups()), true
	}
	parts := strings.Split(path, "/")
	switch {
	case len(parts) == 2 && parts[0] == "api":
		return s.resources(schema.GroupVersion{Version: parts[1]}), true
	case len(parts) == 3 && parts[0] == "apis":
		return s.resources(schema.GroupVersion{Group: parts[1], Version: parts[2]}), true
	case len(parts) == 2 && parts[0] == "apis":
		for _, g := range s.groups().Groups {
			if g.Name == parts[1] {
				g.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
				return encoded(http.StatusOK, g), true
			}
		}
	}
	return answer{}, false
}

func (s *Server) groups() metav1.APIGroupList {
	versions := map[string][]string{}
	for _, sh := range s.shelves {
		g := sh.kind.gvk.Group
		for _, v := range sh.kind.versions {
			if g != "" && !slices.Contains(versions[g], v) {
				versions[g] = append(versions[g], v)
			}
		}
	}
	out := metav1.APIGroupList{Groups: []metav1.APIGroup{}}
	out.Kind, out.APIVersion = "APIGroupList", "v1"
	for g, vs := range versions {
		slices.SortFunc(vs, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
		group := metav1.APIGroup{Name: g}
		for _, v := range vs {
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: g + "/" + v, Version: v})
		}
		group.PreferredVersion = group.Versions[0]
		out.Groups = append(out.Groups, group)
	}
	slices.SortFunc(out.Groups, func(a, b metav1.APIGroup) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (s *Server) resources(gv schema.GroupVersion) answer {
	out := metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String(),
		APIResources: []metav1.APIResource{},
	}
	var kinds []*kind
	for gr, sh := range s.shelves {
		if gr.Group == gv.Group && slices.Contains(sh.kind.versions, gv.Version) {
			kinds = append(kinds, sh.kind)
		}
	}
	slices.SortFunc(kinds, compareKinds)
	for _, k := range kinds {
		out.APIResources = append(out.APIResources, metav1.APIResource{
			Name: k.plural, SingularName: k.singular, Namespaced: k.namespaced, Kind: k.gvk.Kind, Verbs: verbs,
			ShortNames: k.short, Categories: k.categories,
		})
		if k.strategies[gv.Version]["status"] != nil {
			out.APIResources = append(out.APIResources, metav1.APIResource{
				Name: k.plural + "/status", Namespaced: k.namespaced, Kind: k.gvk.Kind,
				Verbs: metav1.Verbs{"get", "patch", "update"},
			})
		}
	}
	if len(kinds) == 0 {
		return failure(notFound(gv.String()))
	}
	return encoded(http.StatusOK, out)
}
