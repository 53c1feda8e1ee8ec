package apiserver

import (
	"fmt"
	"mime"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

func (s *Server) patch(r *request) (answer, error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if types.PatchType(media) == types.ApplyPatchType {
		return s.apply(r)
	}
	have := r.shelf.objects[r.key()]
	if have == nil {
		return answer{}, apierrors.NewNotFound(r.kind().group(), r.name)
	}
	old := r.in(have.obj, r.version)
	raw, err := encodeJSON(old)
	if err != nil {
		return answer{}, err
	}
	if raw, err = r.patched(types.PatchType(media), raw); err != nil {
		return answer{}, err
	}
	u, err := r.fromJSON(raw, false)
	if err != nil {
		return answer{}, err
	}
	if err := r.named(u); err != nil {
		return answer{}, err
	}
	m, err := r.kind().fields(r.version, r.sub)
	if err != nil {
		return answer{}, err
	}
	return s.replace(r, have, old, m.UpdateNoErrors(old, u, r.manager()).(*unstructured.Unstructured))
}

// patched applies the patch in the body to the JSON of an object.
func (r *request) patched(media types.PatchType, raw []byte) ([]byte, error) {
	switch media {
	case types.JSONPatchType:
		p, err := jsonpatch.DecodePatch(r.body)
		if err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
		out, err := p.Apply(raw)
		if err != nil {
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "",
				err.Error(), 0, false)
		}
		return out, nil
	case types.MergePatchType:
		out, err := jsonpatch.MergePatch(raw, r.body)
		if err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
		return out, nil
	case types.StrategicMergePatchType:
		if r.kind().typed == nil {
			break
		}
		out, err := strategicpatch.StrategicMergePatch(raw, r.body, r.kind().typed())
		if err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
		return out, nil
	}
	e := apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "", schema.GroupResource{}, "", "", 0, false)
	e.ErrStatus.Message = "the body of the request was in an unknown format - accepted media types include: " +
		"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
	return nil, e
}

// apply is server-side apply.
func (s *Server) apply(r *request) (answer, error) {
	manager := r.query.Get("fieldManager")
	if manager == "" {
		return answer{}, apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: "PatchOptions"}, "",
			field.ErrorList{field.Required(field.NewPath("fieldManager"), "is required for apply patch")})
	}
	intent := &unstructured.Unstructured{Object: map[string]any{}}
	raw, err := yaml.YAMLToJSON(r.body)
	if err != nil {
		return answer{}, apierrors.NewBadRequest("error decoding YAML: error converting YAML to JSON: " + err.Error())
	}
	if err := json.Unmarshal(raw, &intent.Object); err != nil {
		return answer{}, apierrors.NewBadRequest("error decoding YAML: " + err.Error())
	}
	m, err := r.kind().fields(r.version, r.sub)
	if err != nil {
		return answer{}, err
	}
	have := r.shelf.objects[r.key()]
	if have == nil && r.sub != "" {
		return answer{}, apierrors.NewNotFound(r.kind().group(), r.name)
	}
	live := r.kind().empty(r.version)
	if have != nil {
		live = r.in(have.obj, r.version)
	}
	o, err := m.Apply(live.DeepCopy(), intent, manager, r.query.Get("force") == "true")
	if err != nil {
		return answer{}, err
	}
	u := o.(*unstructured.Unstructured)
	if have == nil && u.GetUID() != "" {
		return answer{}, apierrors.NewConflict(r.kind().group(), r.name, fmt.Errorf(
			"uid mismatch: the provided object specified uid %s, and no existing object was found", u.GetUID()))
	}
	if err := r.named(u); err != nil {
		return answer{}, err
	}
	if have == nil {
		return s.add(r, u)
	}
	return s.replace(r, have, live, u)
}
