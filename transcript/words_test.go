package transcript_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/transcript"
)

func TestAWholeLineIsAnAnswer(t *testing.T) {
	const id = "01a20000-0000-7000-8000-00000000000a"
	approve, deny := transcript.Words{Status: approval.Approved}, transcript.Words{Status: approval.Denied}
	because := func(w transcript.Words, reason string) transcript.Words { w.Message = reason; return w }
	about := func(w transcript.Words, id string) transcript.Words { w.ID = id; return w }
	for line, want := range map[string]transcript.Words{
		"approve":                        approve,
		"Approve.":                       approve,
		"yes":                            approve,
		"\t YES! \n":                     approve,
		"approve for this session":       {Status: approval.Approved, Scope: approval.Session},
		"approve all":                    {Status: approval.Approved, Scope: approval.Session, All: true},
		"approve all for this session":   {Status: approval.Approved, Scope: approval.Session, All: true, Covers: approval.CoverTool},
		"deny":                           deny,
		"no":                             deny,
		"No.":                            deny,
		"reject":                         deny,
		"deny: too risky":                because(deny, "too risky"),
		"no: use the other file: b.txt!": because(deny, "use the other file: b.txt!"),
		"Reject: No\nreally":             because(deny, "No\nreally"),
		"cancel":                         {Status: approval.Cancelled},
		"approve " + id:                  about(approve, id),
		"approve 01A20000":               about(approve, "01a20000"),
		"deny " + id:                     about(deny, id),
		"deny " + id + ": too risky":     because(about(deny, id), "too risky"),
		"reject 01a20000.":               about(deny, "01a20000"),
		"cancel " + id:                   about(transcript.Words{Status: approval.Cancelled}, id),
	} {
		got, ok := transcript.ReadWords(line)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%q is an answer: %v\n%s", line, ok, diff)
		}
	}
}

func TestEverythingElseIsAnOrdinaryLine(t *testing.T) {
	for _, line := range []string{
		"", " ", ".", "!", ":", ": no", "y", "n", "ok", "ok?", "sure", "yes please", "yes, do it", "yes?", "yes!!", "yes..", "yes .",
		"no, use the other file", "no:", "no: ", "no:)", "no : x", "approve: yes", "yes: go", "cancel: later", "cancel all",
		"approve it when it is done", "approve  all", "approve\nall", "approve all: yes", "deny all", "approve everything",
		"approve 01a2000", "approve 01a2000g", "approve 01a20000 now", "approve  01a20000", "yes 01a20000", "no 20240101", "no 20240101: x",
		"approve 01a20000: yes", "cancel 01a20000: x", "I approve", "don't approve", "disapprove", "\"yes\"", "/approve", "approved",
		"ye\u017f", "y\u200bes", "yes\u202e", "\uff59\uff45\uff53", "yes\x00", "\ufeffyes",
	} {
		if got, ok := transcript.ReadWords(line); ok {
			t.Errorf("%q is an answer: %+v", line, got)
		}
	}
}

func FuzzReadWords(f *testing.F) {
	for _, line := range []string{
		"yes", "Approve!", "no: use the other file", "approve all", "approve all for this session", "deny 01a20000: x", "cancel", "y", "yes please", "ye\u017f",
	} {
		f.Add(line)
	}
	approving := regexp.MustCompile(`^(?:[yY][eE][sS]|(?i:approve)(?:(?i: all| for this session| all for this session)| [0-9a-fA-F-]{8,})?)[.!]?$`)
	f.Fuzz(func(t *testing.T, line string) {
		w, ok := transcript.ReadWords(line)
		switch {
		case !ok && w != transcript.Words{}:
			t.Errorf("%q is no answer and says %+v", line, w)
		case !ok:
			if approving.MatchString(strings.TrimSpace(line)) && isASCII(line) {
				t.Errorf("%q is not read", line)
			}
			return
		case w.Status == approval.Approved && !approving.MatchString(strings.TrimSpace(line)):
			t.Errorf("%q approves", line)
		case w.Status != approval.Approved && (w.Scope != "" || w.All || w.Covers != ""):
			t.Errorf("%q has a scope: %+v", line, w)
		case w.Message != "" && w.Status != approval.Denied:
			t.Errorf("%q has a reason: %+v", line, w)
		}
		switch w.Status {
		case approval.Approved, approval.Denied, approval.Cancelled:
		default:
			t.Errorf("%q is %q", line, w.Status)
		}
		if again, same := transcript.ReadWords("  " + line + "\n"); !same || again != w {
			t.Errorf("%q with space around it is %+v, not %+v", line, again, w)
		}
	})
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 126 })
}
