//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// All members are killed at once, again and again, while rows are written. None that was acknowledged is lost.
// GALERA_ROUNDS sets how often.
func TestGaleraComesBackWhenAllMembersAreKilled(t *testing.T) {
	w := story.Start(t)
	g := newGalera(t, w)
	writer := startWriter(w, "app", memberHosts(w)...)
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	if n, err := strconv.Atoi(os.Getenv("GALERA_ROUNDS")); err == nil {
		rounds = n
	}
	for round := range rounds {
		began := time.Now()
		cut(w)
		writes := writer.grows(2 * time.Minute)
		w.Ready(3*time.Minute, g)
		t.Logf("round %d: rows after %s, all members after %s", round+1, writes.Round(100*time.Millisecond),
			time.Since(began).Round(100*time.Millisecond))
		if limit := 45 * time.Second; writes > limit {
			t.Errorf("rows are written again after %s, want at most %s", writes, limit)
		}
	}
	pause, why := writer.longest()
	t.Logf("longest pause between two rows: %s (%s)", pause, why)
	writer.check()
}

// One member is killed, then the writer itself. The others go on.
func TestGaleraGoesOnWhenOneMemberIsKilled(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	g := newGalera(t, w)
	writer := startWriter(w, "app", memberHosts(w)...)
	for _, pod := range []string{other(g), g.Status.Writer} {
		w.Replace(3*time.Minute, w.Namespace, pod)
		writer.grows(time.Minute)
		w.Ready(3*time.Minute, g)
	}
	pause, why := writer.longest()
	t.Logf("longest pause between two rows: %s (%s)", pause, why)
	if limit := 15 * time.Second; pause > limit {
		t.Errorf("rows were not written for %s, want at most %s", pause, limit)
	}
	writer.check()
}

// other is a member that does not take writes.
func other(g *infrav1.Galera) string {
	if g.Status.Writer == "db-1" {
		return "db-2"
	}
	return "db-1"
}

// A member's volume is lost together with all pods. If it was not the writer's, the cluster comes back by itself; if it
// was, it stops and names the field, and goes on when the field is set.
func TestGaleraWithALostVolume(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	g := newGalera(t, w)
	writer := startWriter(w, "app", memberHosts(w)...)
	lose(w, other(g), func() { cut(w) })
	writer.grows(3 * time.Minute)
	w.Ready(3*time.Minute, g)
	writer.check()

	taken := g.Status.Writer
	lose(w, taken, func() { cut(w) })
	order := regexp.MustCompile(`set spec\.recovery to \{seed: (db-[0-2]), epoch: (\d+)\}`)
	var recovery infrav1.GaleraRecovery
	w.Eventually(2*time.Minute, "the operator asks a person", func(ctx context.Context) (err error) {
		if err := w.Get(ctx, w.Key(g), g); err != nil {
			return err
		}
		c := meta.FindStatusCondition(g.Status.Conditions, "MembersReady")
		if c == nil || c.Reason != "WritesMayBeLost" {
			return fmt.Errorf("the condition is %v", c)
		}
		found := order.FindStringSubmatch(c.Message)
		if found == nil {
			return fmt.Errorf("the message does not name the field: %s", c.Message)
		}
		t.Log(c.Message)
		recovery.Seed = found[1]
		recovery.Epoch, err = strconv.ParseInt(found[2], 10, 64)
		return err
	})
	change := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "db"}}
	change.Spec = g.Spec
	change.Spec.Recovery = &recovery
	w.Apply(change)
	w.Ready(3*time.Minute, g)
	writer.check() // nothing was written since the first time
}

// Before the volumes are full, writes are refused and the condition names the field to change. When there is room again
// they go on, and no row is lost.
func TestGaleraWithAFullVolume(t *testing.T) {
	w := story.Start(t)
	g := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "db"}}
	g.Spec.Image, g.Spec.Replicas = image(w, "mariadb"), 1
	g.Spec.Storage.ClassName = "devcluster-sized"
	g.Spec.Storage.Size.Set(1 << 30)
	w.Apply(g)
	d := &infrav1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "app"}}
	d.Spec.Galera = "db"
	w.Apply(d)
	w.Ready(5*time.Minute, d)
	writer := startWriter(w, "app", memberHosts(w)[:1]...)

	inside := func(script string) {
		t.Helper()
		if _, err := w.Cluster.Kubectl(t.Context(), "-n", w.Namespace, "exec", "db-0", "--", "sh", "-c", script); err != nil {
			t.Fatal(err)
		}
	}
	inside(`cd /var/lib/mysql && fallocate -l "$(($(stat -f -c '%a*%S' .) - 20971520))" filler`)
	w.Eventually(time.Minute, "the condition names the field", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(g), g); err != nil {
			return err
		}
		c := meta.FindStatusCondition(g.Status.Conditions, "MembersReady")
		if c == nil || c.Reason != "VolumeFull" || !strings.Contains(c.Message, "spec.storage.size") {
			return fmt.Errorf("the condition is %v", c)
		}
		return nil
	})
	before, err := writer.rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Holds(5*time.Second, "no row is acknowledged", func(ctx context.Context) error {
		now, err := writer.rows(ctx)
		if err == nil && now > before+50 {
			err = fmt.Errorf("%d rows, and then %d", before, now)
		}
		return err
	})
	inside("rm /var/lib/mysql/filler")
	writer.grows(time.Minute)
	w.Ready(time.Minute, g)
	writer.check()
}

// lose removes a member's claim, and with cut the pods that use it.
func lose(w *story.World, member string, cut func()) {
	w.Helper()
	loseIn(w, w.Namespace, member, cut)
}

func loseIn(w *story.World, namespace, member string, cut func()) {
	w.Helper()
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "data-" + member}}
	if err := w.Get(w.Context(), w.Key(claim), claim); err != nil {
		w.Fatal(err)
	}
	old := claim.UID
	if err := w.Delete(w.Context(), claim); err != nil {
		w.Fatalf("removing the claim of %s: %v", member, err)
	}
	cut()
	w.Eventually(time.Minute, "the claim of "+member+" is a new one", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(claim), claim); err != nil {
			return err
		}
		if claim.UID == old {
			return errors.New("it is the old one")
		}
		return nil
	})
}
