//go:build e2e

package e2e

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// workload is a pod with a volume behind a load balancer, under restricted Pod Security, and one pod on each node.
const workload = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: probe}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: probe}
spec:
  selector: {matchLabels: {app: probe}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: probe}}
    spec:
      nodeSelector: {kubernetes.io/hostname: node-1}
      terminationGracePeriodSeconds: 1
      securityContext:
        {runAsNonRoot: true, runAsUser: 4242, runAsGroup: 4242, fsGroup: 4242, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: probe
        image: localhost/probe:1
        ports: [{containerPort: 8080, hostPort: 18080}]
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
        readinessProbe: {httpGet: {path: /, port: 8080}, periodSeconds: 1}
        volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: probe}}]
---
apiVersion: v1
kind: Service
metadata: {name: probe}
spec: {type: LoadBalancer, selector: {app: probe}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: each}
spec:
  selector: {matchLabels: {app: each}}
  template:
    metadata: {labels: {app: each}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: probe, image: "localhost/probe:1"}]
`

func TestCommandsRunInPods(t *testing.T) {
	if got := kubectl(t, shared, "exec", "deployment/probe", "--", "/probe", "here"); got != "here" {
		t.Errorf("a command in a pod says %q", got)
	}
}

func probeProgram(folder string) string { return filepath.Join(folder, "probe") }

// buildProbe makes an OCI image layout of the probe program, its layer uncompressed.
func buildProbe(folder string) error {
	program := probeProgram(folder)
	build := exec.Command("go", "build", "-o", program, "./probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := quiet(build); err != nil {
		return err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	layer := &bytes.Buffer{}
	archive := tar.NewWriter(layer)
	header := &tar.Header{Name: "probe", Mode: 0o755, Size: int64(len(content))}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	if _, err := archive.Write(content); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	blob, err := writeBlob(layout(folder), ocispec.MediaTypeImageLayer, layer.Bytes())
	if err != nil {
		return err
	}
	return writeLayout(layout(folder), probeImage, blob)
}

// writeLayout makes a layout of one image of uncompressed layers.
func writeLayout(folder, name string, layers ...ocispec.Descriptor) error {
	var ids []digest.Digest
	for _, l := range layers {
		ids = append(ids, l.Digest)
	}
	config, err := writeJSON(folder, ocispec.MediaTypeImageConfig, ocispec.Image{
		Platform: ocispec.Platform{OS: "linux", Architecture: runtime.GOARCH},
		Config:   ocispec.ImageConfig{Entrypoint: []string{"/probe"}},
		RootFS:   ocispec.RootFS{Type: "layers", DiffIDs: ids},
	})
	if err != nil {
		return err
	}
	manifest, err := writeJSON(folder, ocispec.MediaTypeImageManifest, ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		Config: config, Layers: layers,
	})
	if err != nil {
		return err
	}
	manifest.Annotations = map[string]string{ocispec.AnnotationRefName: name}
	index, err := json.Marshal(ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, Manifests: []ocispec.Descriptor{manifest},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "index.json"), index, 0o600)
}

func writeJSON(folder, mediaType string, value any) (ocispec.Descriptor, error) {
	content, err := json.Marshal(value)
	if err != nil {
		return ocispec.Descriptor{}, fmt.Errorf("encoding %s: %w", mediaType, err)
	}
	return writeBlob(folder, mediaType, content)
}

func writeBlob(folder, mediaType string, content []byte) (ocispec.Descriptor, error) {
	blob := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(content), Size: int64(len(content))}
	path := filepath.Join(folder, "blobs", "sha256", blob.Digest.Encoded())
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return blob, err
	}
	return blob, os.WriteFile(path, content, 0o600)
}
