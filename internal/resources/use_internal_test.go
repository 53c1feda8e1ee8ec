package resources

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestRoughly(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 9: 9, 10: 10, 11: 10, 19: 10, 20: 20, 99: 90, 100: 100, 4711: 4000} {
		if got := roughly(n); got != want {
			t.Errorf("%d is roughly %d, want %d", n, got, want)
		}
	}
}

// A cloud that fills is not woken for each object.
func TestUsersStirACloudRarely(t *testing.T) {
	u, key := &users{}, cloudKey{Namespace: "default", Name: "default"}
	add := func(n int) bool {
		who := at(fmt.Sprint("thing-", n))
		return len(u.set(types.UID(who.Name), user{node: who, maker: maker{node: who}, clouds: []cloudKey{key}})) > 0
	}
	stirs := 0
	for n := range 1000 {
		if add(n) {
			stirs++
		}
	}
	if use := u.use(key); stirs != exact || use.Objects != 1000 || len(use.Names) != some {
		t.Errorf("a thousand objects stir the cloud %d times, and it is used by %v", stirs, use)
	}
	if add(7) {
		t.Error("what is known already stirs the cloud")
	}
	stirs = 0
	for n := range 1000 {
		if len(u.drop(types.UID(fmt.Sprint("thing-", n)))) > 0 {
			stirs++
		}
	}
	if stirs != exact || u.use(key) != nil || len(u.of)+len(u.foreign)+len(u.uses) > 0 {
		t.Errorf("their leaving stirs the cloud %d times, and left is %v", stirs, u.use(key))
	}
}

// Who is adopted by one of ours counts no more, although it uses what it used.
func TestUsersChangeHands(t *testing.T) {
	u, key, who := &users{}, cloudKey{Name: "default"}, at("thing")
	one := user{node: who, maker: maker{node: who}, clouds: []cloudKey{key}}
	u.set("1", one)
	one.maker.ours = true
	if stirred := u.set("1", one); len(stirred) != 1 || u.use(key) != nil || u.named(key) == "" {
		t.Errorf("stirred are %v, it is used by %v and named %q", stirred, u.use(key), u.named(key))
	}
}

// Who is barred does not keep a cloud, and is woken with the others.
func TestUsersThatAreBarred(t *testing.T) {
	u, key, who := &users{}, cloudKey{Name: "default"}, at("thing")
	one := user{node: who, maker: maker{node: who}, clouds: []cloudKey{key}}
	u.set("1", one)
	one.barred = true
	if stirred := u.set("1", one); len(stirred) != 1 || u.use(key) != nil || u.named(key) != "" || len(u.wakes(key)) != 1 {
		t.Errorf("stirred are %v, it is used by %v, named %q, and wakes %d", stirred, u.use(key), u.named(key),
			len(u.wakes(key)))
	}
	if stirred := u.drop("1"); len(stirred)+len(u.of)+len(u.held)+len(u.foreign) > 0 {
		t.Errorf("its leaving stirs %v", stirred)
	}
}
