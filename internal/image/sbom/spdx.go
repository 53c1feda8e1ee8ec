package sbom

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Fields of SPDX 2.3; the names are the specification's.
type (
	document struct {
		Version       string         `json:"spdxVersion"`
		License       string         `json:"dataLicense"`
		ID            string         `json:"SPDXID"`
		Name          string         `json:"name"`
		Namespace     string         `json:"documentNamespace"`
		Creation      creation       `json:"creationInfo"`
		Packages      []entry        `json:"packages"`
		Relationships []relationship `json:"relationships"`
	}
	creation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	entry struct {
		ID               string      `json:"SPDXID"`
		Name             string      `json:"name"`
		Version          string      `json:"versionInfo,omitempty"`
		Supplier         string      `json:"supplier,omitempty"`
		Purpose          string      `json:"primaryPackagePurpose,omitempty"`
		Download         string      `json:"downloadLocation"`
		FilesAnalyzed    bool        `json:"filesAnalyzed"`
		LicenseConcluded string      `json:"licenseConcluded"`
		LicenseDeclared  string      `json:"licenseDeclared"`
		Copyright        string      `json:"copyrightText"`
		SourceInfo       string      `json:"sourceInfo,omitempty"`
		Checksums        []checksum  `json:"checksums,omitempty"`
		References       []reference `json:"externalRefs,omitempty"`
	}
	checksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	reference struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	relationship struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
)

const (
	unknown    = "NOASSERTION"
	documentID = "SPDXRef-DOCUMENT"
	imageID    = "SPDXRef-Image"
)

// SPDX writes the contents as an SPDX 2.3 document about the image with a reference and a digest. The same contents
// and time give the same bytes.
func (c *Contents) SPDX(ref, digest string, created time.Time) ([]byte, error) {
	hex := regexp.MustCompile(`^sha256:`).ReplaceAllString(digest, "")
	doc := document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: documentID, Name: ref,
		Namespace: "https://stackwright.dev/spdx/" + hex,
		Creation: creation{Created: created.UTC().Format(time.RFC3339),
			Creators: []string{"Organization: Stackwright", "Tool: stackwright-images"}},
		Packages: []entry{{ID: imageID, Name: ref, Version: digest, Purpose: "CONTAINER", Download: unknown,
			LicenseConcluded: unknown, LicenseDeclared: unknown, Copyright: unknown,
			Checksums: []checksum{{Algorithm: "SHA256", Value: hex}}}},
		Relationships: []relationship{{From: documentID, Type: "DESCRIBES", To: imageID}},
	}
	byName := func(a, b Component) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Source, b.Source)) }
	for i, component := range slices.SortedFunc(slices.Values(c.Components), byName) {
		e := component.entry(i)
		doc.Packages = append(doc.Packages, e)
		doc.Relationships = append(doc.Relationships, relationship{From: imageID, Type: "CONTAINS", To: e.ID})
	}
	data, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the SBOM: %w", err)
	}
	return append(data, '\n'), nil
}

// unsafe are characters that an SPDX identifier cannot have.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func (c Component) entry(number int) entry {
	e := entry{
		ID:   fmt.Sprintf("SPDXRef-Package-%d-%s", number, unsafe.ReplaceAllString(c.Name, "-")),
		Name: c.Name, Version: c.Version, Download: unknown,
		LicenseConcluded: unknown, LicenseDeclared: unknown, Copyright: unknown,
		References: []reference{{Category: "PACKAGE-MANAGER", Type: "purl", Locator: c.URL}},
	}
	if c.Supplier != "" {
		e.Supplier = "Organization: " + c.Supplier
	}
	if c.Source != "" {
		e.SourceInfo = "built from " + c.Source
	}
	if c.SHA256 != "" {
		e.Checksums = []checksum{{Algorithm: "SHA256", Value: c.SHA256}}
	}
	return e
}
