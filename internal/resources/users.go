package resources

import (
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// users remember which objects use which clouds: a cloud stays until they are gone, and wakes them when it changes.
type users struct {
	mu    sync.Mutex
	users map[types.UID]user
	of    map[cloudKey]map[types.UID]bool
	// foreign is how many of a cloud's users our own operators have not made for themselves, uses what was told of them.
	foreign map[cloudKey]int
	uses    map[cloudKey]*openstackv1.CloudUse
}

// user is an object, who has made it, the clouds that it uses or might use, and what wakes it.
type user struct {
	node
	maker  maker
	marker string
	clouds []cloudKey
	wake   func()
}

// set records a user, in place of what was known of it, and returns the clouds to which that matters.
func (u *users) set(uid types.UID, now user) []cloudKey {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.users == nil {
		u.users, u.of = map[types.UID]user{}, map[cloudKey]map[types.UID]bool{}
		u.foreign, u.uses = map[cloudKey]int{}, map[cloudKey]*openstackv1.CloudUse{}
	}
	old := u.users[uid]
	if slices.Equal(old.clouds, now.clouds) && old.maker == now.maker {
		return nil
	}
	u.users[uid] = now
	for _, key := range now.clouds {
		if u.of[key] == nil {
			u.of[key] = map[types.UID]bool{}
		}
		u.of[key][uid] = true
	}
	return u.moved(uid, old, now)
}

// markers are those of all users.
func (u *users) markers() map[string]bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := make(map[string]bool, len(u.users))
	for _, x := range u.users {
		out[x.marker] = true
	}
	return out
}

// drop forgets a user, and returns the clouds to which that matters.
func (u *users) drop(uid types.UID) []cloudKey {
	u.mu.Lock()
	defer u.mu.Unlock()
	old := u.users[uid]
	delete(u.users, uid)
	return u.moved(uid, old, user{})
}

// moved returns the clouds that nobody uses any more, and those that tell something else of their users now.
func (u *users) moved(uid types.UID, from, to user) (stirred []cloudKey) {
	before := map[cloudKey]int{}
	for _, key := range append(slices.Clone(from.clouds), to.clouds...) {
		before[key] = u.foreign[key]
	}
	u.count(from, -1)
	u.count(to, 1)
	for key, n := range before {
		if !slices.Contains(to.clouds, key) {
			delete(u.of[key], uid)
		}
		if len(u.of[key]) == 0 {
			delete(u.of, key)
			stirred = append(stirred, key)
		} else if now := u.foreign[key]; now != n && min(now, n) < exact {
			stirred = append(stirred, key)
		}
	}
	return stirred
}

// count takes a user into account, or out of it.
func (u *users) count(who user, by int) {
	if who.maker.ours {
		return
	}
	for _, key := range who.clouds {
		delete(u.uses, key)
		if u.foreign[key] += by; u.foreign[key] == 0 {
			delete(u.foreign, key)
		}
	}
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

// some is how many of many are named.
const some = 5

// few joins the first of names.
func few(names []string) string {
	slices.Sort(names)
	if len(names) > some {
		names = append(names[:some], "and more")
	}
	return strings.Join(names, ", ")
}
