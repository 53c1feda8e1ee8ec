package oslo

import "iter"

// nearest returns the name that was most probably meant, or empty when none is near.
func nearest(wrong string, names iter.Seq[string]) string {
	best, least := "", max(2, len(wrong)/3)+1
	for name := range names {
		d := distance(wrong, name)
		if d < least || (d == least && best != "" && name < best) {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, remove, replace or swap with their neighbour to get from a to b.
func distance(a, b string) int {
	before, last, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}

func cost(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
