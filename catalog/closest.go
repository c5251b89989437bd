package catalog

// Closest returns the one candidate that differs from word by at most two
// single-byte edits, and by no more than one in three bytes; "" when there is
// none or more than one. It is for "did you mean" only.
func Closest(word string, candidates []string) string {
	best, distance, ties := "", min(2, len(word)/3)+1, 0
	for _, c := range candidates {
		switch d := editDistance(c, word); {
		case d < distance:
			best, distance, ties = c, d, 0
		case d == distance && c != best:
			ties++
		}
	}
	if ties > 0 {
		return ""
	}
	return best
}

// editDistance counts single byte insertions, deletions and replacements.
func editDistance(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3 // nobody asks for more than two
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
