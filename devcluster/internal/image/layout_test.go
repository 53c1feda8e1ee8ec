package image

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

func TestImagesOfFolderAndArchive(t *testing.T) {
	folder := t.TempDir()
	content := map[string]string{
		"index.json": `{"manifests":[
			{"digest":"sha256:aa","annotations":{"org.opencontainers.image.ref.name":"localhost/a:1"}},
			{"digest":"sha256:bb","annotations":{
				"org.opencontainers.image.ref.name":"1","io.containerd.image.name":"localhost/b:1"}}]}`,
		"blobs/sha256/aa": "{}",
	}
	write(t, folder, content)
	archive := filepath.Join(t.TempDir(), "layout.tar")
	if err := os.WriteFile(archive, pack(t, content), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []Image{
		{Name: "localhost/a:1", Target: named("sha256:aa", map[string]string{ociName: "localhost/a:1"})},
		{Name: "localhost/b:1", Target: named("sha256:bb", map[string]string{
			ociName: "1", containerdName: "localhost/b:1",
		})},
	}
	for _, source := range []string{folder, archive} {
		layout, err := OpenLayout(source)
		if err != nil {
			t.Fatal(err)
		}
		defer layout.Close()
		got, err := layout.Images()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("images of %s (-want +got):\n%s", source, diff)
		}
		blob, err := layout.blob("sha256:aa")
		if err != nil {
			t.Fatal(err)
		}
		if read, err := io.ReadAll(blob); err != nil || string(read) != "{}" {
			t.Errorf("blob of %s is %q, %v", source, read, err)
		}
	}
}

func TestWhatIsNoLayoutIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		content map[string]string
		want    string
	}{
		"no index": {want: "want an OCI image layout"},
		"no name": {
			content: map[string]string{"index.json": `{"manifests":[{"digest":"sha256:aa"}]}`}, want: ociName,
		},
		"another platform": {content: foreign(), want: "no image for linux/"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder, test.content)
			layout, err := OpenLayout(folder)
			if err != nil {
				t.Fatal(err)
			}
			defer layout.Close()
			if _, err := layout.Images(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Images() = %v, want %q in it", err, test.want)
			}
		})
	}
	file := filepath.Join(t.TempDir(), "image.tar.gz")
	if err := os.WriteFile(file, bytes.Repeat([]byte{0x1f, 0x8b}, 512), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLayout(file); err == nil || !strings.Contains(err.Error(), "uncompressed tar") {
		t.Errorf("OpenLayout() of a compressed file = %v", err)
	}
}

func TestSingleIsACompleteLayout(t *testing.T) {
	layout, err := single(Pause, "/pause", []byte("program"))
	if err != nil {
		t.Fatal(err)
	}
	images, err := layout.Images()
	if err != nil {
		t.Fatal(err)
	}
	manifest, config := ocispec.Manifest{}, ocispec.Image{}
	if err := layout.decode(blobPath(images[0].Target.Digest), &manifest); err != nil {
		t.Fatal(err)
	}
	if err := layout.decode(blobPath(manifest.Config.Digest), &config); err != nil {
		t.Fatal(err)
	}
	layer, err := layout.blob(manifest.Layers[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	header, err := tar.NewReader(layer).Next()
	if err != nil {
		t.Fatal(err)
	}
	if header.Name != "pause" || header.Mode != 0o755 || config.Config.Entrypoint[0] != "/pause" {
		t.Errorf("layer has %s of mode %o, entry point is %v", header.Name, header.Mode, config.Config.Entrypoint)
	}
}

func foreign() map[string]string {
	const index = `{"manifests":[{"digest":"sha256:bb","platform":{"os":"linux","architecture":"none"}}]}`
	return map[string]string{
		"index.json": `{"manifests":[{"mediaType":"` + ocispec.MediaTypeImageIndex +
			`","digest":"sha256:aa","annotations":{"` + ociName + `":"localhost/a:1"}}]}`,
		"blobs/sha256/aa": index,
	}
}

func named(of digest.Digest, annotations map[string]string) ocispec.Descriptor {
	return ocispec.Descriptor{Digest: of, Annotations: annotations}
}

func write(t *testing.T, folder string, content map[string]string) {
	t.Helper()
	for name, text := range content {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func pack(t *testing.T, content map[string]string) []byte {
	t.Helper()
	buffer := &bytes.Buffer{}
	writer := tar.NewWriter(buffer)
	for name, text := range content {
		header := &tar.Header{Name: "./" + name, Mode: 0o600, Size: int64(len(text))}
		if err := writer.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}
