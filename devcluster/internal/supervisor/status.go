package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/network"
	"stackwright.dev/devcluster/internal/process"
)

// requestTimeout is how long a question may take, followTimeout a change: to stop what runs on a node and to remove its
// pods takes seconds, and more than half a minute on a busy machine.
const (
	requestTimeout = 30 * time.Second
	followTimeout  = 5 * time.Minute
)

// Status is what a supervisor tells about its cluster.
type Status struct {
	Cluster    *cluster.Cluster `json:"cluster"`
	Ready      bool             `json:"ready"` // everything that is not cut off works
	API        bool             `json:"api"`
	Nodes      map[string]bool  `json:"nodes"`
	Components []Component      `json:"components"`
	Milestones []Milestone      `json:"milestones"`
	Outside    Outside          `json:"outside"`
}

// Outside is the network that the third link of every node leads to.
type Outside struct {
	Network netip.Prefix `json:"network"`
	Gateway netip.Addr   `json:"gateway"` // the machine
	Link    string       `json:"link"`    // of every node
}

// Component is a kept program and the memory it holds.
type Component struct {
	process.State
	Resident     int64 `json:"residentBytes"`
	Proportional int64 `json:"proportionalBytes"` // shared pages counted by their share
}

func (s *Supervisor) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		// A client that went away is not our concern.
		_ = json.NewEncoder(w).Encode(s.status(r.URL.Query().Has("memory")))
	})
	mux.HandleFunc("POST /reload", func(w http.ResponseWriter, r *http.Request) {
		// What has been begun is finished even when the one who asked goes away.
		if err := s.reload(context.WithoutCancel(r.Context())); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	return mux
}

func (s *Supervisor) status(memory bool) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{
		Cluster: s.cluster, API: s.view.API, Nodes: s.view.Ready, Milestones: s.journal.read(),
		Ready: s.view.API && s.view.Addon, Components: []Component{{State: s.self()}},
		Outside: Outside{Network: s.cluster.Outside(), Gateway: s.cluster.Gateway(), Link: network.OutsideLink},
	}
	for _, member := range s.cluster.Nodes {
		status.Ready = status.Ready && (member.Cut || s.view.Ready[member.Name])
	}
	for _, keeper := range s.keepers {
		status.Components = append(status.Components, Component{State: keeper.State()})
	}
	slices.SortFunc(status.Components, func(a, b Component) int { return strings.Compare(a.Name, b.Name) })
	if memory {
		for i, component := range status.Components {
			status.Components[i].Resident, status.Components[i].Proportional = process.ResidentBytes(component.PID)
		}
	}
	return status
}

func (s *Supervisor) self() process.State {
	return process.State{Name: "supervisor", PID: os.Getpid(), Started: s.journal.began}
}

// Ask asks the cluster's supervisor for its status; with the memory of each component if wanted, which takes longer.
func Ask(ctx context.Context, c *cluster.Cluster, memory bool) (Status, error) {
	path := "/status"
	if memory {
		path += "?memory"
	}
	content, err := callerOf(c).request(ctx, requestTimeout, http.MethodGet, path)
	if err != nil {
		return Status{}, err
	}
	status := Status{}
	if err := json.Unmarshal(content, &status); err != nil {
		return Status{}, fmt.Errorf("reading status of cluster %s: %w", c.Name, err)
	}
	return status, nil
}

// Reload tells the cluster's supervisor that the description has changed, and returns when it has followed.
func Reload(ctx context.Context, c *cluster.Cluster) error { return callerOf(c).reload(ctx) }

// caller talks to the supervisor of a cluster.
type caller struct {
	cluster string
	dial    func(context.Context) (net.Conn, error)
}

func callerOf(c *cluster.Cluster) caller {
	return caller{cluster: c.Name, dial: func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", c.Socket())
	}}
}

func (a caller) reload(ctx context.Context) error {
	_, err := a.request(ctx, followTimeout, http.MethodPost, "/reload")
	return err
}

func (a caller) request(ctx context.Context, within time.Duration, method, path string) ([]byte, error) {
	client := http.Client{Timeout: within, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return a.dial(ctx) },
	}}
	request, err := http.NewRequestWithContext(ctx, method, "http://supervisor"+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("building request: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking the supervisor of cluster %s: %w", a.cluster, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("asking the supervisor of cluster %s: %w", a.cluster, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(string(bytes.TrimSpace(content)))
	}
	return content, nil
}
