//go:build e2e

package machine

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/stackwright/test/e2e/story"
)

const (
	window   = time.Minute
	megabyte = 1 << 20
)

// rests checks what a whole cloud costs that nobody uses: nothing is written to Kubernetes but what Kubernetes writes
// itself, our operators ask it nothing, and the memory of its pods, and of our operators, is what was promised.
func rests(t *testing.T, c story.Cluster) {
	t.Helper()
	c.Log = nil
	// What goes by the hour, as rotations do, may fall into one window, not into three.
	for try := 1; ; try++ {
		before, asked := requests(t, c), asks(t, c)
		pause(t, window)
		all, writes := spent(before, requests(t, c))
		asked = asks(t, c) - asked
		t.Logf("at rest the API server has %.0f requests a minute, %.0f of them of our reconciles, of which write: %v", all,
			asked, writes)
		if len(writes) == 0 && asked == 0 {
			break
		}
		if try == 3 {
			t.Errorf("in each of three minutes at rest something was asked for or written, in the last %.0f and %v", asked,
				writes)
			break
		}
	}
	// A process that was busy gives memory back for minutes.
	for try := 1; ; try++ {
		over := uses(t, memory(t, c))
		if over == "" {
			break
		}
		if try == 3 {
			t.Error(over)
			break
		}
		pause(t, window)
	}
}

// uses logs how much memory pods use, and tells which namespace has more than it may.
func uses(t *testing.T, used map[string]map[string]int64) (over string) {
	t.Helper()
	for namespace, limit := range map[string]int64{"openstack": 5 << 30, "stackwright-system": 150 << 20} {
		var sum int64
		pods := slices.SortedFunc(maps.Keys(used[namespace]), func(a, b string) int {
			return cmp.Compare(used[namespace][b], used[namespace][a])
		})
		for _, pod := range pods {
			sum += used[namespace][pod]
			t.Logf("%6d MiB %s/%s", used[namespace][pod]/megabyte, namespace, pod)
		}
		t.Logf("%6d MiB %s, %d of these", sum/megabyte, namespace, len(pods))
		if sum > limit || sum == 0 {
			over = fmt.Sprintf("the pods of %s and their guests use %d MiB, at most %d", namespace, sum/megabyte, limit/megabyte)
		}
	}
	return over
}

func pause(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	case <-time.After(d):
	}
}

// counted is a line of the API server's metric of requests, with its labels and its value.
var (
	counted = regexp.MustCompile(`(?m)^apiserver_request_total\{(.*)\} (\S+)$`)
	label   = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// requests are those that the API server has answered, by "verb group/resource/subresource".
func requests(t *testing.T, c story.Cluster) map[string]float64 {
	t.Helper()
	metrics, err := c.Kubectl(t.Context(), "get", "--raw", "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, line := range counted.FindAllStringSubmatch(metrics, -1) {
		labels := map[string]string{}
		for _, l := range label.FindAllStringSubmatch(line[1], -1) {
			labels[l[1]] = l[2]
		}
		n, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		out[labels["verb"]+" "+strings.Join([]string{labels["group"], labels["resource"], labels["subresource"]}, "/")] += n
	}
	if len(out) == 0 {
		t.Fatal("the API server has no metric apiserver_request_total")
	}
	return out
}

// forwarded is what kubectl says of the port that leads to the operator's metrics.
var forwarded = regexp.MustCompile(`Forwarding from (127\.0\.0\.1:\d+)`)

// asks is how many requests to the API server reconciles have sent since the operator was started.
func asks(t *testing.T, c story.Cluster) (sum float64) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(bin(t)), "devcluster"), "kubectl", "--name", c.Name,
		"-n", "stackwright-system", "port-forward", "deployment/stackwright-operator", ":8080")
	said, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		_ = cmd.Wait()
	}()
	for lines := bufio.NewScanner(said); lines.Scan(); {
		address := forwarded.FindStringSubmatch(lines.Text())
		if address == nil {
			continue
		}
		for _, n := range series(t, "http://"+address[1]+"/metrics", "kit_reconcile_requests_sum") {
			sum += n
		}
		return sum
	}
	t.Fatal("nothing leads to the metrics of the operator")
	return 0
}

// series are the values of a metric.
func series(t *testing.T, url, name string) (values []float64) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, name+"{"); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(rest[strings.LastIndex(rest, "}")+1:]), 64)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, n)
		}
	}
	if len(values) == 0 {
		t.Fatalf("there is no metric %s", name)
	}
	return values
}

// own are writes that Kubernetes does by itself: its nodes tell that they live, and tokens of pods are renewed.
var own = []string{"coordination.k8s.io/leases/", "/nodes/status", "/serviceaccounts/token",
	"authentication.k8s.io/tokenreviews/", "authorization.k8s.io/subjectaccessreviews/"}

// spent is how many requests there were between two looks, and which of them wrote, with their number.
func spent(before, after map[string]float64) (all float64, writes map[string]float64) {
	writes = map[string]float64{}
	for what, n := range after {
		n -= before[what]
		all += n
		verb, resource, _ := strings.Cut(what, " ")
		if n > 0 && slices.Contains([]string{"POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"}, verb) &&
			!slices.Contains(own, resource) {
			writes[what] = n
		}
	}
	return all, writes
}

// memory is the proportional share of memory of all processes of each pod, in bytes, by namespace and name, and in
// namespace openstack of guests. Memory of files is not in it.
func memory(t *testing.T, c story.Cluster) map[string]map[string]int64 {
	t.Helper()
	out, err := c.Kubectl(t.Context(), "get", "pods", "-A", "-o", "json")
	pods := &corev1.PodList{}
	if err == nil {
		err = json.Unmarshal([]byte(out), pods)
	}
	if err != nil {
		t.Fatal(err)
	}
	shares := shares(c)
	used := map[string]map[string]int64{"openstack": {guests: shares[guests]}}
	if shares[guests] == 0 {
		t.Error("there is a server, and no process is in the control group of guests")
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		if n := shares[string(p.UID)]; n > 0 {
			if used[p.Namespace] == nil {
				used[p.Namespace] = map[string]int64{}
			}
			used[p.Namespace][p.Name] = n
		}
	}
	return used
}

// inPod is the name of a pod's control group, which has the UID of the pod.
var inPod = regexp.MustCompile(`pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})`)

// guests stands for libvirtd and servers: a host's agent takes them out of its pod's control group, as they outlive it,
// into one beside those of the pods of the node.
const guests = "libvirtd and servers"

// shares sums up the proportional share of memory of processes by the UID of their pod, and of guests. A process that
// ends meanwhile has none.
func shares(c story.Cluster) map[string]int64 {
	out, inGuests := map[string]int64{}, regexp.MustCompile("/"+regexp.QuoteMeta(c.Name)+"/[^/\n]+/stackwright-guests\n")
	groups, _ := filepath.Glob("/proc/[0-9]*/cgroup")
	for _, file := range groups {
		group, _ := os.ReadFile(file)
		of := guests
		if !inGuests.Match(group) {
			uid := inPod.FindSubmatch(group)
			if uid == nil {
				continue
			}
			of = strings.ReplaceAll(string(uid[1]), "_", "-")
		}
		rollup, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "smaps_rollup"))
		var kilobytes int64
		for line := range strings.Lines(string(rollup)) {
			if n, err := fmt.Sscanf(line, "Pss: %d kB", &kilobytes); n == 1 && err == nil {
				out[of] += kilobytes << 10
				break
			}
		}
	}
	return out
}
