package agent

import (
	"strconv"
	"strings"
)

// Older compares the first two numbers of two versions, such as 4.0.5: what is older by them may not read the data of
// what is newer. Nothing is older than an empty version.
func Older(x, y string) bool {
	a, b := series(x), series(y)
	return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
}

func series(v string) [2]int {
	var out [2]int
	for i, s := range strings.SplitN(v, ".", 3) {
		if i < 2 {
			out[i], _ = strconv.Atoi(s)
		}
	}
	return out
}
