package member

import (
	"fmt"
	"strconv"
	"strings"
)

// Record is what the operator has to remember of a cluster for sure. It is in the object's status before anything that
// follows from it is ordered.
type Record struct {
	// Epoch counts the formations of a cluster; 0 before the first one was ordered.
	Epoch int64
	// Pod was ordered to begin that formation, with the volume Volume.
	Pod, Volume string
}

// String encodes a record into one line.
func (r Record) String() string {
	if r.Epoch == 0 {
		return ""
	}
	return fmt.Sprintf("epoch=%d pod=%s volume=%s", r.Epoch, r.Pod, r.Volume)
}

// ParseRecord decodes a line; an empty one is the record of a cluster that never was.
func ParseRecord(s string) (Record, error) {
	var r Record
	for f := range strings.FieldsSeq(s) {
		key, value, _ := strings.Cut(f, "=")
		var err error
		switch key {
		case "epoch":
			r.Epoch, err = strconv.ParseInt(value, 10, 64)
		case "pod":
			r.Pod = value
		case "volume":
			r.Volume = value
		default:
			err = fmt.Errorf("unknown field %q", key)
		}
		if err != nil {
			return Record{}, fmt.Errorf("reading the record of the cluster: %w", err)
		}
	}
	return r, nil
}
