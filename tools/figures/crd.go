package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// crdSizes tells how large the JSON of each CRD is, because clients keep a copy of it in an annotation of limited size.
func crdSizes(charts string) ([]figure, error) {
	paths, err := filepath.Glob(filepath.Join(charts, "*", "crds", "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("listing CRDs: %w", err)
	}
	list, sum := []figure{{"kinds", len(paths), "kinds"}}, 0
	largest, most := "", 0
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading a CRD: %w", err)
		}
		data, err := yaml.YAMLToJSON(content)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		var object struct {
			Metadata struct{ Name string } `json:"metadata"`
		}
		if err := json.Unmarshal(data, &object); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		list = append(list, figure{"crd:" + object.Metadata.Name, len(data), "bytes"})
		sum += len(data)
		if len(data) > most {
			largest, most = object.Metadata.Name, len(data)
		}
	}
	return append(list, figure{"crds", sum, "bytes"}, figure{"crd-largest:" + largest, most, "bytes"}), nil
}
