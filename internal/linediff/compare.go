package linediff

// comparison finds the fewest lines to remove and add, with the linear-space variant of
// Myers' algorithm ("An O(ND) Difference Algorithm", 1986).
type comparison struct {
	a, b       []int  // the lines that occur in both texts, as numbers
	atA, atB   []int  // the index of each in its text
	gone, come []bool // the lines that are removed and added

	forward, backward []int // the furthest x reached on each diagonal, from either end
	patience          int   // how many steps from either end to search for a path
}

// maxWork is about how many steps a comparison takes at most. Only texts with very many
// lines take more: see minPatience.
const maxWork = 1 << 26

// minPatience is the patience for the longest texts.
const minPatience = 256

// compare reports which lines the change removes from before and which it adds in after.
func compare(before, after string, countA, countB int) (gone, come []bool) {
	numbers := make(map[string]int, countA)
	a, b := numbered(before, countA, numbers), numbered(after, countB, numbers)
	c := &comparison{gone: make([]bool, countA), come: make([]bool, countB)}
	// A line that the other text doesn't have is on no path.
	inA, inB := present(a, len(numbers)), present(b, len(numbers))
	c.a, c.atA = shared(a, inB, c.gone)
	c.b, c.atB = shared(b, inA, c.come)
	n := len(c.a) + len(c.b)
	c.forward, c.backward = make([]int, n+3), make([]int, n+3)
	c.patience = max(minPatience, maxWork/(n+1))
	c.mark(0, len(c.a), 0, len(c.b))
	return c.gone, c.come
}

// numbered gives equal lines equal numbers.
func numbered(text string, count int, numbers map[string]int) []int {
	list := make([]int, 0, count)
	for t := (cursor{rest: text}); t.rest != ""; {
		line := t.next()
		number, ok := numbers[line]
		if !ok {
			number = len(numbers)
			numbers[line] = number
		}
		list = append(list, number)
	}
	return list
}

func present(lines []int, numbers int) []bool {
	in := make([]bool, numbers)
	for _, line := range lines {
		in[line] = true
	}
	return in
}

// shared returns the lines that the other text has too, with their indexes. It marks the rest.
func shared(lines []int, in []bool, marks []bool) (kept, at []int) {
	for i, line := range lines {
		if !in[line] {
			marks[i] = true
			continue
		}
		kept, at = append(kept, line), append(at, i)
	}
	return kept, at
}

// mark marks what differs between lines a0 to a1 of the one text and b0 to b1 of the other.
func (c *comparison) mark(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && c.a[a0] == c.b[b0] {
			a0, b0 = a0+1, b0+1
		}
		for a0 < a1 && b0 < b1 && c.a[a1-1] == c.b[b1-1] {
			a1, b1 = a1-1, b1-1
		}
		if a0 == a1 || b0 == b1 {
			break
		}
		x, y := c.middle(a0, a1, b0, b1)
		c.mark(a0, x, b0, y)
		a0, b0 = x, y
	}
	for _, at := range c.atA[a0:a1] {
		c.gone[at] = true
	}
	for _, at := range c.atB[b0:b1] {
		c.come[at] = true
	}
}

// middle returns a point on the shortest path from (a0, b0) to (a1, b1), other than these
// two. If the path is too long, it returns the furthest point reached.
func (c *comparison) middle(a0, a1, b0, b1 int) (x, y int) {
	// Diagonal d has the points with x-y = d. Its index in the lists is at least 1.
	place := b1 - a0 + 1
	at := func(d int) int { return d + place }
	f, r := diagonals{lo: a0 - b0, hi: a0 - b0}, diagonals{lo: a1 - b1, hi: a1 - b1}
	least, most := a0-b1, a1-b0
	c.forward[at(f.lo)], c.backward[at(r.lo)] = a0, a1
	odd := (f.lo-r.lo)&1 != 0
	for step := 1; ; step++ {
		f.widen(least, most, func(d int) { c.forward[at(d)] = -1 })
		for d := f.hi; d >= f.lo; d -= 2 {
			x := max(c.forward[at(d-1)]+1, c.forward[at(d+1)])
			for x < a1 && x-d < b1 && c.a[x] == c.b[x-d] {
				x++
			}
			c.forward[at(d)] = x
			if odd && r.has(d) && c.backward[at(d)] <= x {
				return x, x - d
			}
		}
		r.widen(least, most, func(d int) { c.backward[at(d)] = a1 + 1 })
		for d := r.hi; d >= r.lo; d -= 2 {
			x := min(c.backward[at(d-1)], c.backward[at(d+1)]-1)
			for x > a0 && x-d > b0 && c.a[x-1] == c.b[x-d-1] {
				x--
			}
			c.backward[at(d)] = x
			if !odd && f.has(d) && x <= c.forward[at(d)] {
				return x, x - d
			}
		}
		if step >= c.patience {
			return c.furthest(f, a1, b1, at)
		}
	}
}

// furthest returns the point with the most lines behind it.
func (c *comparison) furthest(f diagonals, a1, b1 int, at func(int) int) (bestX, bestY int) {
	for d := f.hi; d >= f.lo; d -= 2 {
		x := min(c.forward[at(d)], a1, b1+d)
		if x+x-d > bestX+bestY {
			bestX, bestY = x, x-d
		}
	}
	return bestX, bestY
}

// diagonals are every second diagonal from lo to hi.
type diagonals struct{ lo, hi int }

func (d diagonals) has(one int) bool { return d.lo <= one && one <= d.hi }

// widen adds the next diagonal on either side, or drops the last one where the next would
// be outside the texts. It calls clear for the diagonal beyond each one added.
func (d *diagonals) widen(least, most int, clear func(d int)) {
	if d.lo > least {
		d.lo--
		clear(d.lo - 1)
	} else {
		d.lo++
	}
	if d.hi < most {
		d.hi++
		clear(d.hi + 1)
	} else {
		d.hi--
	}
}
