package transcript

import (
	"strings"

	"github.com/lineclear/lineclear/approval"
)

// Words is a line of chat that is an answer.
type Words struct {
	Status  approval.Status
	Scope   approval.Scope        // of an approval that says for how long
	Covers  approval.CoverageKind // of one that says more than exactly this call
	All     bool                  // it is about everything that waits
	ID      string                // what it is about: an approvalId or its beginning; empty where it does not say
	Message string                // the reason of a denial
}

// minID is how many characters of an approval's id name it.
const minID = 8

// ReadWords reads a whole line of chat as an answer, or reports that it is an
// ordinary message. Case, space around it and a last full stop or exclamation
// mark don't matter; everything else does: these are the answers, and "yes
// please", "ok" and "y" are not.
//
//	approve, yes                       approves the one that waits
//	approve for this session           the same, and remembers exactly this call
//	approve all                        approves each that waits, and remembers exactly these calls
//	approve all for this session       the same, and remembers the tools as a whole where offered
//	deny, no, reject                   denies, also with a reason: "no: use the other file"
//	cancel                             withdraws it
//	approve ID, deny ID, reject ID, cancel ID, deny ID: reason, reject ID: reason
func ReadWords(line string) (Words, bool) {
	line = strings.TrimSpace(line)
	if head, reason, ok := strings.Cut(line, ":"); ok {
		w, known := readPhrase(lower(head))
		trimmed := strings.TrimSpace(reason)
		if !known || w.Status != approval.Denied || trimmed == "" || !strings.ContainsAny(reason[:1], " \t\n") {
			return Words{}, false
		}
		w.Message = trimmed
		return w, true
	}
	if n := len(line); n > 0 && (line[n-1] == '.' || line[n-1] == '!') {
		line = line[:n-1]
	}
	return readPhrase(lower(line))
}

func readPhrase(phrase string) (Words, bool) {
	switch phrase {
	case "approve", "yes":
		return Words{Status: approval.Approved}, true
	case "approve for this session":
		return Words{Status: approval.Approved, Scope: approval.Session}, true
	case "approve all":
		return Words{Status: approval.Approved, Scope: approval.Session, All: true}, true
	case "approve all for this session":
		return Words{Status: approval.Approved, Scope: approval.Session, Covers: approval.CoverTool, All: true}, true
	case "deny", "no", "reject":
		return Words{Status: approval.Denied}, true
	case "cancel":
		return Words{Status: approval.Cancelled}, true
	}
	word, id, _ := strings.Cut(phrase, " ")
	if !isID(id) {
		return Words{}, false
	}
	switch word {
	case "approve":
		return Words{Status: approval.Approved, ID: id}, true
	case "deny", "reject":
		return Words{Status: approval.Denied, ID: id}, true
	case "cancel":
		return Words{Status: approval.Cancelled, ID: id}, true
	default:
		return Words{}, false
	}
}

// isID reports whether a word may be an approval's id or its beginning.
func isID(word string) bool {
	return len(word) >= minID && strings.Trim(word, "0123456789abcdef-") == ""
}

// lower is text with its plain letters in lower case. Letters of other
// alphabets that fold into these are no spelling of the words.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
