package mariadb

import (
	"context"
	"os"
	"path/filepath"
	"slices"
)

// standing is what is on the volume while mariadbd does not run.
type standing struct {
	empty    bool
	position Position
}

// inspect finds out where the data stands. A clean stop has written it down; after a crash the storage engine is asked.
func (a *Agent) inspect(ctx context.Context) (standing, error) {
	nowhere := Position{UUID: NoUUID, Seqno: -1}
	empty, err := a.vol.Empty()
	if err != nil || empty {
		return standing{empty: empty, position: nowhere}, err
	}
	if half, err := a.halfCopied(); err != nil || half {
		return standing{position: nowhere}, err
	}
	g, err := a.vol.readGrastate()
	if err != nil {
		return standing{}, err
	}
	if g.Known() {
		return standing{position: g.Position}, nil
	}
	p, err := a.cfg.recover(ctx, a.vol)
	return standing{position: p}, err
}

// halfCopied tells whether a copy of another member's data was cut off.
func (a *Agent) halfCopied() (bool, error) {
	if !a.vol.Memo().Copying {
		return false, nil
	}
	_, err := os.Stat(filepath.Join(a.vol.Data(), "sst_in_progress"))
	if err == nil {
		return true, nil
	}
	if !os.IsNotExist(err) {
		return false, err
	}
	_, err = os.Stat(filepath.Join(a.vol.Data(), "ibdata1"))
	if os.IsNotExist(err) {
		return true, nil
	}
	return false, err
}

// verdict says whether a member may join by itself.
type verdict struct {
	join bool
	// donors are the members to copy from, best first.
	donors []string
	// block says why the member must not join, and what a person can do.
	block string
}

// judge decides from what peers say whether a member whose mariadbd is down joins them. Data that the peers' history
// does not cover is never overwritten.
func judge(m Memo, s standing, peers []State) verdict {
	serving := slices.DeleteFunc(slices.Clone(peers), func(p State) bool { return !p.Serves() })
	if len(serving) == 0 {
		return verdict{}
	}
	uuid := serving[0].Wsrep.UUID
	for _, p := range serving {
		if p.Wsrep.UUID != uuid {
			return verdict{block: "The running members belong to two histories, " + uuid + " and " + p.Wsrep.UUID +
				"; stop those of one of them by deleting their volume claims."}
		}
	}
	whole := s.position.UUID != NoUUID && s.position.UUID != ""
	switch {
	case s.empty, whole && s.position.UUID == uuid, !whole && (m.Copying || m.History == uuid):
		return verdict{join: true, donors: donors(serving)}
	case whole:
		return verdict{block: "The volume holds data of history " + s.position.UUID + ", the cluster has history " + uuid +
			"; if the volume's data is not needed, delete the volume claim and the pod, and it takes a copy."}
	}
	return verdict{block: "The volume holds data that never belonged to a cluster; if it is not needed, " +
		"delete the volume claim and the pod, and it takes a copy."}
}

// donors orders members by how little a copy disturbs: those that do not take writes first.
func donors(serving []State) []string {
	slices.SortStableFunc(serving, func(x, y State) int {
		switch {
		case x.Writable == y.Writable:
			return 0
		case x.Writable:
			return 1
		}
		return -1
	})
	var out []string
	for _, p := range serving {
		out = append(out, p.Pod)
	}
	return out
}
