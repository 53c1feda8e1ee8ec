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
	// held is how many of a cloud's users keep it.
	held map[cloudKey]int
	// foreign is how many of a cloud's users our own operators have not made for themselves, uses what was told of them.
	foreign map[cloudKey]int
	uses    map[cloudKey]*openstackv1.CloudUse
}

// user is an object, who has made it, the clouds that it uses or might use, and what wakes it. A barred one has nothing
// in the clouds, and they are not for it; it is woken all the same, since that may change. One that is being deleted
// leaves.
type user struct {
	node
	maker   maker
	marker  string
	clouds  []cloudKey
	barred  bool
	leaving bool
	wake    func()
}

// keeps tells whether a cloud has to stay for a user. What hosts have there waits for the cloud to come back, and needs
// it only to go.
func (u user) keeps() bool { return !u.barred && (!u.maker.host || u.leaving) }

// set records a user, in place of what was known of it, and returns the clouds to which that matters.
func (u *users) set(uid types.UID, now user) []cloudKey {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.users == nil {
		u.users, u.of = map[types.UID]user{}, map[cloudKey]map[types.UID]bool{}
		u.held, u.foreign, u.uses = map[cloudKey]int{}, map[cloudKey]int{}, map[cloudKey]*openstackv1.CloudUse{}
	}
	old := u.users[uid]
	if slices.Equal(old.clouds, now.clouds) && old.maker == now.maker && old.barred == now.barred &&
		old.leaving == now.leaving {
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

// known is what a run has found of a user, as long as that is among these clouds; otherwise it may use all of them.
func (u *users) known(uid types.UID, clouds []cloudKey) (used []cloudKey, barred bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	known, ok := u.users[uid]
	if !ok || slices.ContainsFunc(known.clouds, func(k cloudKey) bool { return !slices.Contains(clouds, k) }) {
		return clouds, false
	}
	return known.clouds, known.barred
}

// moved returns the clouds that nobody uses any more, and those that tell something else of their users now.
func (u *users) moved(uid types.UID, from, to user) (stirred []cloudKey) {
	type use struct{ held, foreign int }
	before := map[cloudKey]use{}
	for _, key := range append(slices.Clone(from.clouds), to.clouds...) {
		before[key] = use{u.held[key], u.foreign[key]}
	}
	u.count(from, -1)
	u.count(to, 1)
	for key, was := range before {
		if !slices.Contains(to.clouds, key) {
			delete(u.of[key], uid)
		}
		if len(u.of[key]) == 0 {
			delete(u.of, key)
		}
		now := use{u.held[key], u.foreign[key]}
		if now.held == 0 && was.held > 0 || now.foreign != was.foreign && min(now.foreign, was.foreign) < exact {
			stirred = append(stirred, key)
		}
	}
	return stirred
}

// count takes a user into account, or out of it.
func (u *users) count(who user, by int) {
	if who.barred {
		return
	}
	for _, key := range who.clouds {
		if who.keeps() {
			add(u.held, key, by)
		}
		if !who.maker.ours {
			delete(u.uses, key)
			add(u.foreign, key, by)
		}
	}
}

// add adds to a number, of which nothing is left when it is zero.
func add(n map[cloudKey]int, key cloudKey, by int) {
	if n[key] += by; n[key] == 0 {
		delete(n, key)
	}
}

// named are those for whom a cloud has to stay, for people.
func (u *users) named(key cloudKey) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	names := make([]string, 0, len(u.of[key]))
	for uid := range u.of[key] {
		if by := u.users[uid]; by.keeps() {
			names = append(names, by.from(key.Namespace))
		}
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
