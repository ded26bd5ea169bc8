package approval

import (
	"path/filepath"
	"strings"
	"time"
)

// Touch is something that a call would do, as far as that can be read: "write PATH",
// "read PATH", "reach HOST" or "run PROGRAM WORDS". Paths are absolute and clean.
type Touch string

// Meets reports whether two touches are about the same thing: a path and what lies in it, a host
// and those below it. What a program is, who compares commands has to know.
func (e Touch) Meets(other Touch) bool {
	kind, what, _ := strings.Cut(string(e), " ")
	same, that, _ := strings.Cut(string(other), " ")
	if kind != same {
		return false
	}
	switch kind {
	case "write", "read":
		return within(what, that) || within(that, what)
	case "reach":
		return what == that || strings.HasSuffix(what, "."+that) || strings.HasSuffix(that, "."+what)
	}
	return what == that
}

func within(folder, path string) bool {
	return path == folder || folder == string(filepath.Separator) || strings.HasPrefix(path, folder+string(filepath.Separator))
}

// Refusal is a no of a person, or of a deny rule, that holds in its session against other
// calls with the same touches, until a person approves one of these.
type Refusal struct {
	ApprovalID string
	ToolName   string
	Touches    []Touch
	By         By
	At         time.Time
}

// MaxRefusals is how many of a session's refusals count, the newest.
const MaxRefusals = 200

// Refused is the row as a refusal; false where it is none: nobody said no, or nothing is known of
// what the call would do.
func (a Approval) Refused() (Refusal, bool) {
	no := a.Status == Denied && (a.Response.Reason == UserDenied || a.Response.Reason == PolicyDenied)
	if !no || len(a.Touches) == 0 {
		return Refusal{}, false
	}
	return Refusal{ApprovalID: a.ApprovalID, ToolName: a.ToolName, Touches: a.Touches, By: a.Response.By, At: a.Response.At}, true
}

// Lifts reports whether the row ends refusals: a person has approved the call as it was shown.
func (a Approval) Lifts() bool {
	via := a.Response.By.Via
	return a.Status == Approved && len(a.Touches) > 0 && len(a.Response.Edit) == 0 && via != ViaPolicy && via != ViaGrant && via != ViaSystem
}

// Left are the touches of a refusal that an approved call does not have.
func (r Refusal) Left(approved []Touch) []Touch {
	var left []Touch
	for _, e := range r.Touches {
		lifted := false
		for _, yes := range approved {
			lifted = lifted || e.Meets(yes)
		}
		if !lifted {
			left = append(left, e)
		}
	}
	return left
}
