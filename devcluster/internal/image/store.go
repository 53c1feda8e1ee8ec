// Package image brings container images into the containerd of a node, straight from files: no registry, no archive in
// between, and nothing twice.
package image

import (
	"context"
	"fmt"
	"time"

	contentapi "github.com/containerd/containerd/api/services/content/v1"
	diffapi "github.com/containerd/containerd/api/services/diff/v1"
	imagesapi "github.com/containerd/containerd/api/services/images/v1"
	leasesapi "github.com/containerd/containerd/api/services/leases/v1"
	snapshotsapi "github.com/containerd/containerd/api/services/snapshots/v1"
	versionapi "github.com/containerd/containerd/api/services/version/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"
)

const (
	snapshotter = "overlayfs"
	servePoll   = 50 * time.Millisecond
)

// Store is the image store of a node.
type Store struct {
	connection *grpc.ClientConn
	content    contentapi.ContentClient
	diff       diffapi.DiffClient
	images     imagesapi.ImagesClient
	leases     leasesapi.LeasesClient
	snapshots  snapshotsapi.SnapshotsClient
}

// Open names the containerd at socket; whether it answers shows later.
func Open(socket string) (*Store, error) {
	connection, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		// gRPC's own pauses would grow too long for a containerd that is about to start.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: servePoll, Multiplier: 1, MaxDelay: servePoll},
			MinConnectTimeout: time.Second,
		}))
	if err != nil {
		return nil, fmt.Errorf("connecting to containerd: %w", err)
	}
	return &Store{
		connection: connection,
		content:    contentapi.NewContentClient(connection),
		diff:       diffapi.NewDiffClient(connection),
		images:     imagesapi.NewImagesClient(connection),
		leases:     leasesapi.NewLeasesClient(connection),
		snapshots:  snapshotsapi.NewSnapshotsClient(connection),
	}, nil
}

// Close ends the connection.
func (s *Store) Close() { _ = s.connection.Close() }

// Wait returns when containerd serves.
func (s *Store) Wait(ctx context.Context) error {
	ticker := time.NewTicker(servePoll)
	defer ticker.Stop()
	version := versionapi.NewVersionClient(s.connection)
	for {
		_, err := version.Version(ctx, &emptypb.Empty{})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for containerd: %w", err)
		case <-ticker.C:
		}
	}
}

// namespaced addresses the namespace that Kubernetes uses.
func namespaced(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "containerd-namespace", "k8s.io")
}

// leased keeps containerd's garbage collection from what is being imported until release.
func (s *Store) leased(ctx context.Context, id string) (leased context.Context, release func(), err error) {
	_, err = s.leases.Create(ctx, &leasesapi.CreateRequest{
		ID: id, Labels: map[string]string{"containerd.io/gc.expire": time.Now().Add(time.Hour).Format(time.RFC3339)},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("holding image content: %w", err)
	}
	release = func() {
		// A lease that stays ends by itself.
		_, _ = s.leases.Delete(context.WithoutCancel(ctx), &leasesapi.DeleteRequest{ID: id})
	}
	return metadata.AppendToOutgoingContext(ctx, "containerd-lease", id), release, nil
}
