package apiserver

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func (s *Server) get(r *request) (answer, error) {
	e := r.shelf.objects[r.key()]
	if e == nil {
		return answer{}, apierrors.NewNotFound(r.kind().group(), r.name)
	}
	return r.object(http.StatusOK, e)
}

// object answers with one object in the form that the client wants.
func (r *request) object(code int, e *entry) (answer, error) {
	raw, err := r.view().encode(e)
	if err != nil {
		return answer{}, err
	}
	return plain(code, raw), nil
}

func (s *Server) list(r *request) (answer, error) {
	f, err := r.filter()
	if err != nil {
		return answer{}, err
	}
	if err := s.reached(r); err != nil {
		return answer{}, err
	}
	limit, err := r.number("limit")
	if err != nil {
		return answer{}, err
	}
	after, err := base64.RawURLEncoding.DecodeString(r.query.Get("continue"))
	if err != nil {
		return answer{}, apierrors.NewBadRequest("continue key is not valid: " + err.Error())
	}
	page, next, rest := cut(r.shelf.sorted(f), string(after), int(limit))
	return r.page(s.rv, page, next, rest)
}

// cut returns at most limit entries that come after a key, the key to go on with, and how many are left.
func cut(all []*entry, after string, limit int) (page []*entry, next string, left int) {
	start := 0
	for after != "" && start < len(all) && key(all[start].obj).String() <= after {
		start++
	}
	all = all[start:]
	if limit == 0 || len(all) <= limit {
		return all, "", 0
	}
	next = base64.RawURLEncoding.EncodeToString([]byte(key(all[limit-1].obj).String()))
	return all[:limit], next, len(all) - limit
}

// page writes a list without decoding its items again.
func (r *request) page(rv uint64, entries []*entry, next string, left int) (answer, error) {
	v := r.view()
	gvk := r.kind().at(r.version).GroupVersion().WithKind(r.kind().list)
	if v.partial {
		gvk.Group, gvk.Version, gvk.Kind = "meta.k8s.io", "v1", "PartialObjectMetadataList"
	}
	b := &bytes.Buffer{}
	b.WriteString(`{"kind":"` + gvk.Kind + `","apiVersion":"` + gvk.GroupVersion().String() + `",`)
	b.WriteString(`"metadata":{"resourceVersion":"` + strconv.FormatUint(rv, 10) + `"`)
	if next != "" {
		b.WriteString(`,"continue":"` + next + `","remainingItemCount":` + strconv.Itoa(left))
	}
	b.WriteString(`},"items":[`)
	for i, e := range entries {
		raw, err := v.encode(e)
		if err != nil {
			return answer{}, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(raw)
	}
	b.WriteString(`]}`)
	return plain(http.StatusOK, b.Bytes()), nil
}

// reached refuses a read that asks for a version which the server does not have yet.
func (s *Server) reached(r *request) error {
	rv, err := r.number("resourceVersion")
	if err != nil {
		return err
	}
	if rv > s.rv {
		return apierrors.NewTimeoutError("Too large resource version: "+r.query.Get("resourceVersion")+
			", current: "+strconv.FormatUint(s.rv, 10), 1)
	}
	return nil
}
