package rabbitmq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent/member"
)

// managementPort is where the broker's management API listens, on the loopback address of the pod only.
const managementPort = "15672"

// door is the broker's management API.
type door struct {
	password string
	http     *http.Client
}

func newDoor(password string) *door {
	return &door{password: password, http: &http.Client{Timeout: 20 * time.Second}}
}

// failure is an answer of the broker that is no success.
type failure struct {
	code   int
	reason string
	// resources of which there are alarms.
	resources []string
}

func (f *failure) Error() string {
	if f.reason == "" {
		return fmt.Sprintf("the broker answered %d", f.code)
	}
	return f.reason
}

func missing(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.code == http.StatusNotFound
}

// path joins segments, each of which may hold any character.
func path(segments ...string) string {
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/")
}

// call sends one request. Answers other than success are *failure.
func (d *door) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encoding a request to the broker: %w", err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:"+managementPort+"/api/"+path, body)
	if err != nil {
		return fmt.Errorf("asking the broker: %w", err)
	}
	req.SetBasicAuth(adminUser, d.password)
	req.Header.Set("Content-Type", "application/json")
	res, err := d.http.Do(req)
	if err != nil {
		return fmt.Errorf("asking the broker: %w", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 16<<20))
	if err != nil {
		return fmt.Errorf("reading the broker's answer: %w", err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return refusal(res.StatusCode, b)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("decoding the broker's answer: %w", err)
	}
	return nil
}

// refusal reads an answer that is no success.
func refusal(code int, body []byte) *failure {
	var why struct {
		Reason any
		Alarms []struct{ Resource string }
	}
	_ = json.Unmarshal(body, &why)
	f := &failure{code: code}
	f.reason, _ = why.Reason.(string)
	for _, a := range why.Alarms {
		f.resources = append(f.resources, a.Resource)
	}
	return f
}

type node struct {
	Name     string
	Running  bool
	Draining bool `json:"being_drained"`
}

func (d *door) nodes(ctx context.Context) ([]node, error) {
	var out []node
	err := d.call(ctx, http.MethodGet, "nodes?columns=name,running,being_drained", nil, &out)
	return out, err
}

// examine asks one of the broker's health checks. No error and no failure mean that it passed.
func (d *door) examine(ctx context.Context, name string) (*failure, error) {
	err := d.call(ctx, http.MethodGet, "health/checks/"+name, nil, nil)
	if f, ok := errors.AsType[*failure](err); ok && f.code == http.StatusServiceUnavailable {
		return f, nil
	}
	return nil, err
}

// check asks one of the broker's health checks for the reason of its failure; empty means that it passed.
func (d *door) check(ctx context.Context, name string) (string, error) {
	f, err := d.examine(ctx, name)
	if f == nil || err != nil {
		return "", err
	}
	return f.Error(), nil
}

// alarms are those of this member that its clients can live with, and what else keeps it from serving. Without disk or
// memory RabbitMQ reads nothing more from publishers, at whichever member they are; consumers go on, and are the ones
// who make room. Without file descriptors it takes no new connections. See rabbit_alarm.erl.
func (d *door) alarms(ctx context.Context) ([]member.Alarm, string, error) {
	f, err := d.examine(ctx, "local-alarms")
	if f == nil || err != nil {
		return nil, "", err
	}
	var out []member.Alarm
	var other []string
	for _, r := range f.resources {
		switch r {
		case "disk space":
			out = append(out, member.Disk)
		case "memory":
			out = append(out, member.Memory)
		default:
			other = append(other, r)
		}
	}
	switch {
	case len(other) > 0:
		return out, "the broker runs short of " + strings.Join(other, ", "), nil
	case len(out) == 0:
		return nil, f.Error(), nil
	}
	slices.Sort(out)
	return out, "", nil
}

// version of the running broker.
func (d *door) version(ctx context.Context) (string, error) {
	var out struct {
		Version string `json:"rabbitmq_version"`
	}
	err := d.call(ctx, http.MethodGet, "overview?columns=rabbitmq_version", nil, &out)
	return out.Version, err
}

// khepri makes the cluster keep its metadata in a Raft log. Unlike with the older store, members then come back from an
// outage of all in any order, as soon as a majority is there.
const khepri = "khepri_db"

func (d *door) enable(ctx context.Context, flag string) error {
	err := d.call(ctx, http.MethodPut, "feature-flags/"+path(flag)+"/enable", map[string]string{"name": flag}, nil)
	if err != nil {
		return fmt.Errorf("enabling feature flag %s: %w", flag, err)
	}
	return nil
}

// enableStable enables the feature flags that a newer release of RabbitMQ may require.
func (d *door) enableStable(ctx context.Context) error {
	var flags []struct{ Name, State, Stability string }
	if err := d.call(ctx, http.MethodGet, "feature-flags", nil, &flags); err != nil {
		return fmt.Errorf("listing feature flags: %w", err)
	}
	for _, f := range flags {
		if f.State == "disabled" && f.Stability == "stable" {
			if err := d.enable(ctx, f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

type queue struct {
	Name, VHost, Type string
	Members           []string
}

// lacking returns the quorum queues that have no replica on a node.
func (d *door) lacking(ctx context.Context, node string) ([]string, error) {
	all, err := d.queues(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, q := range all {
		if q.Type == "quorum" && !slices.Contains(q.Members, node) {
			out = append(out, q.VHost+"/"+q.Name)
		}
	}
	return out, nil
}

// hosted returns the quorum queues that have a replica on a node.
func (d *door) hosted(ctx context.Context, node string) ([]string, error) {
	all, err := d.queues(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, q := range all {
		if q.Type == "quorum" && slices.Contains(q.Members, node) {
			out = append(out, q.VHost+"/"+q.Name)
		}
	}
	return out, nil
}

func (d *door) queues(ctx context.Context) ([]queue, error) {
	var out []queue
	if err := d.call(ctx, http.MethodGet, "queues?columns=name,vhost,type,members", nil, &out); err != nil {
		return nil, fmt.Errorf("listing queues: %w", err)
	}
	return out, nil
}

// grow puts a replica of every quorum queue on a node.
func (d *door) grow(ctx context.Context, node string) error {
	err := d.call(ctx, http.MethodPost, "queues/quorum/replicas/on/"+path(node)+"/grow",
		map[string]string{"vhost_pattern": ".*", "queue_pattern": ".*", "strategy": "all"}, nil)
	if err != nil {
		return fmt.Errorf("putting replicas of queues on %s: %w", node, err)
	}
	return nil
}

// shrink takes the replicas of all quorum queues off a node.
func (d *door) shrink(ctx context.Context, node string) error {
	err := d.call(ctx, http.MethodDelete, "queues/quorum/replicas/on/"+path(node)+"/shrink", nil, nil)
	if err != nil {
		return fmt.Errorf("taking replicas of queues off %s: %w", node, err)
	}
	return nil
}
