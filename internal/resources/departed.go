package resources

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// departed remembers for a while which objects are gone. A run that began before an object went may end after that, and
// what it then records of the object nobody would take back: it would hold a cloud, a resource or another object for as
// long as the process lives.
type departed struct {
	mu sync.Mutex
	// recent are those since a time, earlier the ones before them.
	recent, earlier map[types.UID]bool
	since           time.Time
}

// remembered is how long at least, which is longer than a run takes.
const remembered = 10 * time.Minute

func (d *departed) add(uid types.UID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); d.recent == nil || now.Sub(d.since) > remembered {
		d.recent, d.earlier, d.since = map[types.UID]bool{}, d.recent, now
	}
	d.recent[uid] = true
}

func (d *departed) has(uid types.UID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.recent[uid] || d.earlier[uid]
}
