package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

const (
	group = "openstack.stackwright.dev"
	// banner is in each file that is made of descriptors.
	banner = "generated from internal/resources/kinds"
	// label of a CRD has the type of its service; CRDs that all services need have anyService.
	label      = "stackwright.dev/service"
	anyService = "any"

	types = "api/openstack/v1alpha1"
	pages = "docs/kinds"
	crds  = "charts/stackwright-operator/crds"
)

//go:embed *.tmpl
var templates embed.FS

// render returns all files by their paths below the top of the repository.
func render(all []*d.Kind) (map[string][]byte, error) {
	files := map[string][]byte{}
	services := map[string][]*d.Kind{}
	for _, k := range all {
		services[k.Service] = append(services[k.Service], k)
		page, err := fill("page.md.tmpl", newPage(k, all))
		if err != nil {
			return nil, err
		}
		files[pages+"/"+strings.ToLower(k.Name)+".md"] = page
	}
	for service, list := range services {
		source, err := fill("types.go.tmpl", newTypes(list))
		if err != nil {
			return nil, err
		}
		files[types+"/zz_generated."+service+".go"] = source
	}
	for path, t := range map[string]struct {
		template string
		data     any
	}{
		types + "/zz_generated.kinds.go": {"kinds.go.tmpl", all},
		pages + "/README.md":             {"index.md.tmpl", newIndex(all)},
	} {
		content, err := fill(t.template, t.data)
		if err != nil {
			return nil, err
		}
		files[path] = content
	}
	return files, nil
}

// fill executes a template, and formats what is Go.
func fill(name string, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").ParseFS(templates, name)
	if err != nil {
		return nil, fmt.Errorf("reading template %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("filling template %s: %w", name, err)
	}
	if !strings.Contains(name, ".go.") {
		return b.Bytes(), nil
	}
	source, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("formatting what template %s makes: %w", name, err)
	}
	return source, nil
}
