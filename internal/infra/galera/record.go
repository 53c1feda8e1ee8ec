package galera

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stackwright.dev/stackwright/internal/agent/mariadb"
)

// Record is what the operator has to remember of a cluster for sure. It is in the object's status before anything that
// follows from it is ordered.
type Record struct {
	// Cluster is the id of the history, empty until the cluster ran for the first time.
	Cluster string
	// Epoch counts the starts from nothing running.
	Epoch int64
	// Seed is the member that was ordered to begin the cluster, on Volume at Position; empty once it runs.
	Seed     string
	Volume   string
	Position mariadb.Position
	// Roles are the writer orders of which nobody knows that a later one took effect, oldest first. All writes that a
	// client was told to be done are with the writers among them.
	Roles []mariadb.Role
}

// Term of the newest writer order.
func (r *Record) Term() int64 {
	if len(r.Roles) == 0 {
		return 0
	}
	return r.Roles[len(r.Roles)-1].Term
}

// Writer is the member that the newest order names, or empty.
func (r *Record) Writer() string {
	if len(r.Roles) == 0 {
		return ""
	}
	return r.Roles[len(r.Roles)-1].Writer
}

// String encodes a record into one line.
func (r *Record) String() string {
	f := []string{"epoch=" + strconv.FormatInt(r.Epoch, 10)}
	if r.Cluster != "" {
		f = append(f, "cluster="+r.Cluster)
	}
	if r.Seed != "" {
		f = append(f, "seed="+r.Seed, "volume="+r.Volume, "position="+r.Position.String())
	}
	for _, role := range r.Roles {
		f = append(f, fmt.Sprintf("role=%d/%s", role.Term, role.Writer))
	}
	return strings.Join(f, " ")
}

// ParseRecord decodes a line; an empty one is the record of a cluster that never ran.
func ParseRecord(s string) (*Record, error) {
	r := &Record{}
	for f := range strings.FieldsSeq(s) {
		key, value, _ := strings.Cut(f, "=")
		var err error
		switch key {
		case "epoch":
			r.Epoch, err = strconv.ParseInt(value, 10, 64)
		case "cluster":
			r.Cluster = value
		case "seed":
			r.Seed = value
		case "volume":
			r.Volume = value
		case "position":
			r.Position, err = mariadb.ParsePosition(value)
		case "role":
			err = r.parseRole(value)
		default:
			err = fmt.Errorf("unknown field %q", key)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the record of the cluster: %w", err)
		}
	}
	return r, nil
}

func (r *Record) parseRole(s string) error {
	term, writer, _ := strings.Cut(s, "/")
	n, err := strconv.ParseInt(term, 10, 64)
	if err != nil {
		return err
	}
	r.Roles = append(r.Roles, mariadb.Role{Term: n, Writer: writer})
	return nil
}

// begin records the intent to start the cluster on a member.
func (r *Record) begin(epoch int64, s mariadb.State) {
	r.Epoch, r.Seed, r.Volume, r.Position = epoch, s.Pod, s.Volume, s.Position
}

// began records that the cluster runs.
func (r *Record) began(uuid string) {
	r.Cluster, r.Seed, r.Volume, r.Position = uuid, "", "", mariadb.Position{}
}

// order records a writer order. Of earlier ones for the same member only the last counts, so that there are never more
// than there are members.
func (r *Record) order(role mariadb.Role) {
	r.Roles = slices.DeleteFunc(r.Roles, func(x mariadb.Role) bool { return x.Writer == role.Writer })
	r.Roles = append(r.Roles, role)
}

// settle drops the orders before one that is known to have taken effect.
func (r *Record) settle(term int64) {
	r.Roles = slices.DeleteFunc(r.Roles, func(x mariadb.Role) bool { return x.Term < term })
}
