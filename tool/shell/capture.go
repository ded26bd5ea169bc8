package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// capture keeps the first and the last bytes of what is written to it, half of
// its limit each, and counts the rest.
type capture struct {
	headLimit, tailLimit int

	head  []byte
	tail  []byte // once longer than tailLimit, only its end counts
	total int64
}

func newCapture(limit int) *capture {
	return &capture{headLimit: limit - limit/2, tailLimit: limit / 2}
}

// Write never fails: a command is not stopped for being talkative.
func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if room := c.headLimit - len(c.head); room > 0 {
		taken := min(room, len(p))
		c.head = append(c.head, p[:taken]...)
		p = p[taken:]
	}
	c.tail = append(c.tail, p...)
	// Twice the limit before it is cut, so that many small writes don't each
	// move the whole tail.
	if len(c.tail) > 2*c.tailLimit {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-c.tailLimit:]...)
	}
	return n, nil
}

// text is what was kept, as valid UTF-8 with a mark where something is
// missing, and how many bytes that is.
func (c *capture) text() (string, int64) {
	head, tail := c.head, c.tail
	if len(tail) > c.tailLimit {
		tail = tail[len(tail)-c.tailLimit:]
	}
	if int64(len(head)+len(tail)) == c.total {
		return valid(append(head[:len(head):len(head)], tail...)), 0
	}
	head, tail = withoutSplitEnd(head), withoutSplitStart(tail)
	omitted := c.total - int64(len(head)+len(tail))
	mark := fmt.Sprintf("\n[… %d bytes left out …]\n", omitted)
	return valid(head) + mark + valid(tail), omitted
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// withoutSplitEnd drops a character at the end that the cut went through.
func withoutSplitEnd(b []byte) []byte {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// withoutSplitStart drops the rest of a character that the cut went through.
func withoutSplitStart(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	if len(b) < utf8.UTFMax {
		return nil // no more than such a rest
	}
	return b
}
