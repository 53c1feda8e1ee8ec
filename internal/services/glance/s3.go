package glance

import (
	"bytes"
	_ "embed"
	"slices"

	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// bucketModule is imported by the program that runs the API.
//
//go:embed s3.py
var bucketModule []byte

// bucketModuleName is by what it is imported.
const bucketModuleName = "stackwright_s3"

// Keys of the Secret of a store.
const (
	keyAccess = "AWS_ACCESS_KEY_ID"
	keySecret = "AWS_SECRET_ACCESS_KEY"
)

// pair is what an endpoint knows Glance by, and Glance the endpoint.
type pair struct{ access, secret, authority []byte }

// bucketKeys makes sense of the Secret of the store at a place of the list.
func bucketKeys(s *scope, i int) (pair, error) {
	store, content := s.Owner().Spec.Stores[i], s.Content(refSecret(i))
	p := pair{bytes.TrimSpace(content[keyAccess]), bytes.TrimSpace(content[keySecret]), content[keyAuthority]}
	switch {
	case content == nil:
		// The step waits for the Secret.
		return pair{}, s.Err()
	case len(p.access) == 0:
		return pair{}, invalidSecret(store, "has no "+keyAccess+"; add the access key of a user of the bucket")
	case len(p.secret) == 0:
		return pair{}, invalidSecret(store, "has no "+keySecret+"; add the secret key that belongs to its "+keyAccess)
	case bytes.ContainsAny(slices.Concat(p.access, p.secret), "\r\n"):
		return pair{}, invalidSecret(store, "has a key of several lines; write "+keyAccess+" and "+keySecret+" in one each")
	}
	return p, checkAuthority(store, p.authority)
}

// objects is a store in a bucket.
func objects(s *scope, f *oslo.File, i int) {
	store := s.Owner().Spec.Stores[i]
	f.Set(store.Name, "s3_store_host", store.S3.Endpoint)
	f.Set(store.Name, "s3_store_bucket", store.S3.Bucket)
	if region := store.S3.Region; region != "" {
		f.Set(store.Name, "s3_store_region_name", region)
	}
	switch store.S3.Addressing {
	case "Path":
		f.Set(store.Name, "s3_store_bucket_url_format", "path")
	case "Host":
		f.Set(store.Name, "s3_store_bucket_url_format", "virtual")
	}
	// What is wrong with the Secret is told by keys.
	k, err := bucketKeys(s, i)
	if err != nil {
		return
	}
	f.Set(store.Name, "s3_store_access_key", oslo.Literal(string(k.access)))
	f.Set(store.Name, "s3_store_secret_key", oslo.Literal(string(k.secret)))
	if len(k.authority) > 0 {
		f.Set(store.Name, "s3_store_cacert", service.Folder+"/config/"+authorityFile(store.Name))
	}
}

// authorityFile is that by which a store's endpoint is known.
func authorityFile(store string) string { return "s3-" + store + "-ca.crt" }

// files are those that a store reads, to lie beside the configuration.
func (p pair) files(store string) map[string][]byte {
	out := map[string][]byte{bucketModuleName + ".py": bucketModule}
	if len(p.authority) > 0 {
		out[authorityFile(store)] = p.authority
	}
	return out
}
