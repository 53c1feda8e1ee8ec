// Package install puts the operators into a cluster by their Helm chart, and takes them out again.
package install

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"stackwright.dev/stackwright/charts"
)

const folder = "stackwright-operator"

// load reads the chart that this program carries, and a digest of all its files.
func load() (*chartv2.Chart, string, error) {
	var files []*archive.BufferedFile
	sum := sha256.New()
	err := fs.WalkDir(charts.Operator, folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(charts.Operator, path)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, folder+"/")
		fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(data), data)
		files = append(files, &archive.BufferedFile{Name: name, Data: data})
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("reading the operator's chart: %w", err)
	}
	chart, err := loader.LoadFiles(files)
	if err != nil {
		return nil, "", fmt.Errorf("loading the operator's chart: %w", err)
	}
	return chart, hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// CRDs returns the definitions of all kinds, by file.
func CRDs() (map[string][]byte, error) {
	out := map[string][]byte{}
	names, err := fs.Glob(charts.Operator, folder+"/crds/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing the CRDs: %w", err)
	}
	for _, name := range names {
		if out[name], err = fs.ReadFile(charts.Operator, name); err != nil {
			return nil, fmt.Errorf("reading the CRDs: %w", err)
		}
	}
	return out, nil
}
