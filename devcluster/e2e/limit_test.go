//go:build e2e

package e2e

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is promised of a machine on which nothing else runs.
const (
	serverLimit = 4 * time.Second  // until an API server is ready
	nodeLimit   = 10 * time.Second // until the node of a new cluster is Ready
	memoryLimit = 1100 << 20       // bytes that a cluster of one node without pods takes at rest

	// slack is for machines that others share: of two that are the same on paper one took twice the time of the other.
	slack = 2
)

// alone is what was measured before the first test, when nothing else of ours ran. Beside other programs all takes
// longer, and beside another cluster memory reads lower: pages that both share are counted half in each.
var alone struct {
	server, node time.Duration
	memory       int64
}

// measureServer takes the best of a few tries, as whatever else the machine does makes one slower.
func measureServer() error {
	const tries = 3
	for try := range tries {
		served, err := start(command("apiserver"))
		if err != nil {
			return err
		}
		if err := served.command.Process.Signal(unix.SIGTERM); err != nil {
			return err
		}
		_ = served.command.Wait()
		if try == 0 || served.took < alone.server {
			alone.server = served.took
		}
		if alone.server <= serverLimit {
			return nil
		}
	}
	return nil
}

// measureCluster looks at the shared cluster while it has one node and no pods.
func measureCluster() error {
	s, err := readStatus(shared)
	if err != nil {
		return err
	}
	for _, m := range s.Milestones {
		if m.Text == s.Cluster.Nodes[0].Name+" Ready" {
			alone.node = time.Duration(m.Seconds * float64(time.Second))
		}
	}
	alone.memory, err = memoryAtRest()
	return err
}

// memoryAtRest is what the shared cluster takes once that has stayed the same, to a hundredth, for 3 s, or after 10 s.
func memoryAtRest() (int64, error) {
	const same, most = 3, 10
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	last, still := int64(0), 0
	for range most {
		s, err := readStatus(shared)
		if err != nil {
			return 0, err
		}
		now := int64(0)
		for _, c := range s.Components {
			now += c.Proportional
		}
		still++
		if max(now-last, last-now) > last/100 {
			last, still = now, 0
		}
		if still == same {
			return now, nil
		}
		<-ticker.C
	}
	return last, nil
}

func TestLimits(t *testing.T) {
	t.Logf("API server ready after %s, node Ready after %s, %d MiB at rest", alone.server.Round(time.Millisecond),
		alone.node.Round(time.Millisecond), alone.memory>>20)
	if alone.server == 0 || alone.server > slack*serverLimit {
		t.Errorf("the API server was ready after %s at best, want %s, and by no means %d times that", alone.server,
			serverLimit, slack)
	}
	if alone.node == 0 || alone.node > slack*nodeLimit {
		t.Errorf("the node was Ready after %s, want %s, and by no means %d times that", alone.node, nodeLimit, slack)
	}
	if alone.memory < 100<<20 || alone.memory > memoryLimit {
		t.Errorf("the cluster takes %d MiB at rest, want at most %d", alone.memory>>20, memoryLimit>>20)
	}
}
