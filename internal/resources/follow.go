package resources

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/stackwright/internal/resources/mirror"
)

// follows remember in which mirror each object of a controller follows its resource.
type follows struct {
	mu sync.Mutex
	of map[types.UID]*mirror.Mirror
}

// move notes the mirror that an object follows from now on, nil for none, and ends what it followed in another one.
func (f *follows) move(uid types.UID, to *mirror.Mirror) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.of[uid]
	if old == to {
		return
	}
	if old != nil {
		old.Unfollow(string(uid))
	}
	if to == nil {
		delete(f.of, uid)
		return
	}
	if f.of == nil {
		f.of = map[types.UID]*mirror.Mirror{}
	}
	f.of[uid] = to
}
