// Package etcd runs the database of an API server: one member, reached by a unix socket that only root may open, so
// that it needs neither a port nor certificates.
package etcd

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

const (
	quotaBytes    = 2 << 30
	snapshotEvery = 5000
	startTimeout  = 30 * time.Second
)

// Server is a running etcd.
type Server struct {
	etcd *embed.Etcd
}

// Endpoint is what clients of the database in folder are configured with.
func Endpoint(folder string) string {
	return "unix://" + filepath.Join(folder, "client.sock")
}

// Start runs etcd with its data and sockets in folder and returns when it answers.
//
// Writes are not flushed to disk: a killed process loses nothing, as the kernel holds what was written; only a machine
// that loses power may.
func Start(folder string) (*Server, error) {
	config, err := configure(folder)
	if err != nil {
		return nil, err
	}
	server, err := embed.StartEtcd(config)
	if err != nil {
		return nil, fmt.Errorf("starting etcd in %s: %w", folder, err)
	}
	select {
	case <-server.Server.ReadyNotify():
		return &Server{etcd: server}, nil
	case err := <-server.Err():
		return nil, fmt.Errorf("starting etcd in %s: %w", folder, err)
	case <-time.After(startTimeout):
		server.Close()
		return nil, errors.New("starting etcd: not ready after " + startTimeout.String())
	}
}

// Stop closes the database.
func (s *Server) Stop() { s.etcd.Close() }

// Failed delivers the error that ended the server.
func (s *Server) Failed() <-chan error { return s.etcd.Err() }

func configure(folder string) (*embed.Config, error) {
	client, err := url.Parse(Endpoint(folder))
	if err != nil {
		return nil, fmt.Errorf("parsing etcd address: %w", err)
	}
	peer := *client
	peer.Path = filepath.Join(folder, "peer.sock")
	config := embed.NewConfig()
	config.Dir = filepath.Join(folder, "data")
	// What is advertised stays the default and is never dialled: there is no other member.
	config.ListenClientUrls, config.ListenPeerUrls = []url.URL{*client}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.UnsafeNoFsync = true
	config.QuotaBackendBytes = quotaBytes
	config.LogLevel = "warn"
	config.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // zero would warn of every request
	// Old revisions are of no use to a development cluster and would grow the resident memory.
	config.AutoCompactionMode, config.AutoCompactionRetention = "periodic", "10m"
	config.SnapshotCount = snapshotEvery
	return config, nil
}
