package oci

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Pusher puts images into a registry.
type Pusher struct {
	// Compressed is the folder that keeps compressed layers, so that each is compressed once.
	Compressed string
	// PlainHTTP talks to the registry without TLS.
	PlainHTTP bool
}

// Push puts an image, with its layers compressed, and what is attached to it under a reference. The credentials are
// those of the user's container tools, the authorities those of the system, or of SSL_CERT_FILE. It returns the digest
// that the image has there.
func (p *Pusher) Push(ctx context.Context, named Named, ref string) (string, error) {
	var options []name.Option
	if p.PlainHTTP {
		options = append(options, name.Insecure)
	}
	tag, err := name.NewTag(ref, options...)
	if err != nil {
		return "", fmt.Errorf("pushing: %w: give the registry as HOST[:PORT][/PATH]", err)
	}
	with := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	image, err := compress(named.Image, p.Compressed)
	if err != nil {
		return "", err
	}
	digest, err := image.Digest()
	if err != nil {
		return "", fmt.Errorf("pushing %s: %w", ref, err)
	}
	if err := remote.Write(tag, image, with...); err != nil {
		return "", fmt.Errorf("pushing %s: %w%s", ref, err, advice(err, tag.RegistryStr()))
	}
	contents, err := attachments(named.Attached)
	if err != nil {
		return "", err
	}
	for _, c := range contents {
		if err := attach(tag.Context(), image, c, with); err != nil {
			return "", fmt.Errorf("pushing the attachment of %s: %w", ref, err)
		}
	}
	return digest.String(), nil
}

// advice is what to do about a push that failed; empty when there is none. A registry on this machine is asked without
// TLS, too, so that there may be two errors in one, of which the first here is the one that matters.
func advice(err error, registry string) string {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "; give the file with the CA of " + registry + " as SSL_CERT_FILE"
	}
	if e, ok := errors.AsType[*transport.Error](err); ok && e.StatusCode == http.StatusUnauthorized {
		return "; log in with docker login " + registry + ", or podman login"
	} else if ok && e.StatusCode == http.StatusForbidden {
		return "; log in to " + registry + " as somebody who may push there, or name another path"
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return "; give --plain-http when " + registry + " has no TLS"
	}
	return ""
}

// attach makes the artifact anew: its subject is the compressed image, whose digest is another.
func attach(repository name.Repository, image v1.Image, c content, with []remote.Option) error {
	artifact, err := Attach(image, c.data, c.mediaType)
	if err != nil {
		return err
	}
	digest, err := artifact.Digest()
	if err != nil {
		return err
	}
	return remote.Write(repository.Digest(digest.String()), artifact, with...)
}

type content struct {
	data      []byte
	mediaType types.MediaType
}

func attachment(artifact v1.Image) (content, error) {
	layers, err := artifact.Layers()
	if err != nil || len(layers) != 1 {
		return content{}, fmt.Errorf("want one layer, have %d: %w", len(layers), err)
	}
	mediaType, err := partial.ArtifactType(artifact)
	if err != nil {
		return content{}, err
	}
	reader, err := layers[0].Compressed()
	if err != nil {
		return content{}, err
	}
	defer reader.Close()
	data, err := io.ReadAll(reader)
	return content{data: data, mediaType: types.MediaType(mediaType)}, err
}
