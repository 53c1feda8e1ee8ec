package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	contentapi "github.com/containerd/containerd/api/services/content/v1"
	diffapi "github.com/containerd/containerd/api/services/diff/v1"
	imagesapi "github.com/containerd/containerd/api/services/images/v1"
	snapshotsapi "github.com/containerd/containerd/api/services/snapshots/v1"
	"github.com/containerd/containerd/api/types"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/identity"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

const (
	chunk = 1 << 20
	// What refers to what, for containerd's garbage collection. Layers are not referred to: unpacked, nobody needs
	// them any more, and a development machine's disk would hold every image twice.
	refersConfig   = "containerd.io/gc.ref.content.config"
	refersSnapshot = "containerd.io/gc.ref.snapshot." + snapshotter
	ofKubernetes   = "io.cri-containerd.image"
	pinned         = "io.cri-containerd.pinned"
)

// Import brings an image of the layout into the store; done is false when it was there already.
func (s *Store) Import(ctx context.Context, layout *Layout, image Image) (done bool, err error) {
	ctx = namespaced(ctx)
	present, err := s.images.Get(ctx, &imagesapi.GetImageRequest{Name: image.Name})
	if err == nil && present.GetImage().GetTarget().GetDigest() == image.Target.Digest.String() {
		return false, nil
	}
	if err != nil && status.Code(err) != codes.NotFound {
		return false, fmt.Errorf("looking for image %s: %w", image.Name, err)
	}
	lease := "devcluster-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	held, release, err := s.leased(ctx, lease)
	if err != nil {
		return false, err
	}
	defer release()
	if err := s.importContent(held, layout, image.Target); err != nil {
		return false, fmt.Errorf("importing image %s: %w", image.Name, err)
	}
	if err := s.tag(held, image); err != nil {
		return false, err
	}
	return true, nil
}

func (s *Store) importContent(ctx context.Context, layout *Layout, target ocispec.Descriptor) error {
	manifest, config := ocispec.Manifest{}, ocispec.Image{}
	if err := layout.decode(blobPath(target.Digest), &manifest); err != nil {
		return fmt.Errorf("reading manifest: %w", err)
	}
	if err := layout.decode(blobPath(manifest.Config.Digest), &config); err != nil {
		return fmt.Errorf("reading configuration: %w", err)
	}
	if len(config.RootFS.DiffIDs) != len(manifest.Layers) {
		return fmt.Errorf("reading configuration: it tells of %d layers and the manifest of %d",
			len(config.RootFS.DiffIDs), len(manifest.Layers))
	}
	top, err := s.unpack(ctx, layout, manifest.Layers, config.RootFS.DiffIDs)
	if err != nil {
		return err
	}
	labels := map[string]string{refersSnapshot: top}
	if err := s.write(ctx, layout, manifest.Config, labels); err != nil {
		return err
	}
	return s.write(ctx, layout, target, map[string]string{refersConfig: manifest.Config.Digest.String()})
}

// unpack makes a snapshot of each layer on top of the one before, and names the last.
func (s *Store) unpack(ctx context.Context, layout *Layout, layers []ocispec.Descriptor, ids []digest.Digest) (
	string, error,
) {
	parent := ""
	for i, layer := range layers {
		name := identity.ChainID(ids[:i+1]).String()
		_, err := s.snapshots.Stat(ctx, &snapshotsapi.StatSnapshotRequest{Snapshotter: snapshotter, Key: name})
		if err != nil {
			if err := s.layer(ctx, layout, layer, ids[:i+1], parent); err != nil {
				return "", fmt.Errorf("unpacking layer %s: %w", layer.Digest, err)
			}
		}
		parent = name
	}
	return parent, nil
}

// layer makes the snapshot of the last of these layers. Where one that is unpacked cannot be linked, because it is on
// another file system for one, its archive is there.
func (s *Store) layer(
	ctx context.Context, layout *Layout, layer ocispec.Descriptor, ids []digest.Digest, parent string,
) error {
	name := identity.ChainID(ids).String()
	if dir := layout.unpacked(ids[len(ids)-1]); dir != "" && s.link(ctx, dir, parent, name) == nil {
		return nil
	}
	if err := s.write(ctx, layout, layer, nil); err != nil {
		return err
	}
	return s.snapshot(ctx, parent, name, func(mounts []*types.Mount) error {
		_, err := s.diff.Apply(ctx, &diffapi.ApplyRequest{Diff: descriptor(layer), Mounts: mounts})
		return err
	})
}

// link makes the snapshot of a layer that is unpacked already.
func (s *Store) link(ctx context.Context, dir, parent, name string) error {
	return s.snapshot(ctx, parent, name, func(mounts []*types.Mount) error {
		to, err := upper(mounts)
		if err != nil {
			return err
		}
		return linkTree(ctx, dir, to)
	})
}

// snapshot makes a snapshot with what fill puts into it.
func (s *Store) snapshot(ctx context.Context, parent, name string, fill func([]*types.Mount) error) error {
	key := "devcluster-" + strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + name
	prepared, err := s.snapshots.Prepare(ctx, &snapshotsapi.PrepareSnapshotRequest{
		Snapshotter: snapshotter, Key: key, Parent: parent,
	})
	if err != nil {
		return fmt.Errorf("preparing snapshot: %w", err)
	}
	if err = fill(prepared.GetMounts()); err == nil {
		_, err = s.snapshots.Commit(ctx, &snapshotsapi.CommitSnapshotRequest{
			Snapshotter: snapshotter, Name: name, Key: key, Parent: parent,
		})
	}
	if err == nil {
		return nil
	}
	_, removeErr := s.snapshots.Remove(context.WithoutCancel(ctx), &snapshotsapi.RemoveSnapshotRequest{
		Snapshotter: snapshotter, Key: key,
	})
	if status.Code(err) == codes.AlreadyExists {
		return removeErr // another import of the same layer was faster
	}
	return errors.Join(err, removeErr)
}

// write brings a blob into the content store, with labels.
func (s *Store) write(ctx context.Context, layout *Layout, blob ocispec.Descriptor, labels map[string]string) error {
	file, err := layout.blob(blob.Digest)
	if err != nil {
		return fmt.Errorf("opening blob: %w", err)
	}
	err = s.stream(ctx, file, blob, labels)
	if status.Code(err) == codes.AlreadyExists {
		err = s.label(ctx, blob.Digest, labels)
	}
	if err != nil {
		return fmt.Errorf("writing blob %s: %w", blob.Digest, err)
	}
	return nil
}

func (s *Store) stream(
	ctx context.Context, from io.Reader, blob ocispec.Descriptor, labels map[string]string,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.content.Write(ctx)
	if err != nil {
		return err
	}
	ref := "devcluster-" + blob.Digest.Encoded()
	send := func(request *contentapi.WriteContentRequest) (*contentapi.WriteContentResponse, error) {
		request.Ref, request.Total, request.Expected = ref, blob.Size, blob.Digest.String()
		if err := stream.Send(request); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return stream.Recv() // after an EOF of Send, this has the reason
	}
	begun, err := send(&contentapi.WriteContentRequest{Action: contentapi.WriteAction_STAT})
	if err != nil {
		return err
	}
	// What an import that was interrupted has written already need not be sent again.
	offset, err := io.CopyN(io.Discard, from, begun.GetOffset())
	if err != nil {
		return err
	}
	buffer := make([]byte, chunk)
	for offset < blob.Size {
		count, err := io.ReadFull(from, buffer)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		request := &contentapi.WriteContentRequest{
			Action: contentapi.WriteAction_WRITE, Offset: offset, Data: buffer[:count],
		}
		if _, err := send(request); err != nil {
			return err
		}
		offset += int64(count)
	}
	_, err = send(&contentapi.WriteContentRequest{
		Action: contentapi.WriteAction_COMMIT, Offset: offset, Labels: labels,
	})
	return err
}

func (s *Store) label(ctx context.Context, of digest.Digest, labels map[string]string) error {
	if len(labels) == 0 {
		return nil
	}
	paths := make([]string, 0, len(labels))
	for name := range labels {
		paths = append(paths, "labels."+name)
	}
	_, err := s.content.Update(ctx, &contentapi.UpdateRequest{
		Info: &contentapi.Info{Digest: of.String(), Labels: labels}, UpdateMask: &fieldmaskpb.FieldMask{Paths: paths},
	})
	return err
}

// tag gives the image its name. From then on it counts as present.
func (s *Store) tag(ctx context.Context, image Image) error {
	record := &imagesapi.Image{
		Name: image.Name, Target: descriptor(image.Target), Labels: map[string]string{ofKubernetes: "managed"},
	}
	if image.Name == Pause {
		record.Labels[pinned] = "pinned"
	}
	_, err := s.images.Create(ctx, &imagesapi.CreateImageRequest{Image: record})
	if status.Code(err) == codes.AlreadyExists {
		_, err = s.images.Update(ctx, &imagesapi.UpdateImageRequest{Image: record})
	}
	if err != nil {
		return fmt.Errorf("naming image %s: %w", image.Name, err)
	}
	return nil
}

func descriptor(d ocispec.Descriptor) *types.Descriptor {
	return &types.Descriptor{
		MediaType: d.MediaType, Digest: d.Digest.String(), Size: d.Size, Annotations: d.Annotations,
	}
}
