package resources

import (
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// users remember which objects use which clouds: a cloud stays until they are gone, and wakes them when it changes.
type users struct {
	mu    sync.Mutex
	users map[types.UID]user
	of    map[cloudKey]map[types.UID]bool
}

// user is an object, the clouds that it uses or might use, and what wakes it.
type user struct {
	node
	clouds []cloudKey
	wake   func()
}

// set records a user, in place of what was known of it, and returns the clouds that nobody uses any more.
func (u *users) set(uid types.UID, now user) []cloudKey {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.users == nil {
		u.users, u.of = map[types.UID]user{}, map[cloudKey]map[types.UID]bool{}
	}
	old := u.users[uid].clouds
	if slices.Equal(old, now.clouds) {
		return nil
	}
	u.users[uid] = now
	for _, key := range now.clouds {
		if u.of[key] == nil {
			u.of[key] = map[types.UID]bool{}
		}
		u.of[key][uid] = true
	}
	return u.remove(uid, old, now.clouds)
}

// drop forgets a user, and returns the clouds that nobody uses any more.
func (u *users) drop(uid types.UID) []cloudKey {
	u.mu.Lock()
	defer u.mu.Unlock()
	old := u.users[uid].clouds
	delete(u.users, uid)
	return u.remove(uid, old, nil)
}

func (u *users) remove(uid types.UID, from, but []cloudKey) (free []cloudKey) {
	for _, key := range from {
		if slices.Contains(but, key) {
			continue
		}
		delete(u.of[key], uid)
		if len(u.of[key]) == 0 {
			delete(u.of, key)
			free = append(free, key)
		}
	}
	return free
}

// named are a cloud's users for people.
func (u *users) named(key cloudKey) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	names := make([]string, 0, len(u.of[key]))
	for uid := range u.of[key] {
		names = append(names, u.users[uid].from(key.Namespace))
	}
	return few(names)
}

// wakes are what wakes a cloud's users.
func (u *users) wakes(key cloudKey) []func() {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := make([]func(), 0, len(u.of[key]))
	for uid := range u.of[key] {
		out = append(out, u.users[uid].wake)
	}
	return out
}

// few joins the first five of names.
func few(names []string) string {
	slices.Sort(names)
	if len(names) > 5 {
		names = append(names[:5], "and more")
	}
	return strings.Join(names, ", ")
}
