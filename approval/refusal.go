package approval

import (
	"path/filepath"
	"strings"
	"time"
)

// Touch is one effect of a call: "write PATH", "read PATH", "reach HOST" or "run PROGRAM WORDS".
// Paths are absolute and clean.
type Touch string

// Meets reports whether two touches overlap: the same path or one inside the other, the same host
// or a subdomain of it. Commands are compared as texts.
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

// Refusal records that a person or a deny rule refused a call. Calls in the same session that touch
// the same things are asked about until a person approves one of them.
type Refusal struct {
	ApprovalID string
	ToolName   string
	Touches    []Touch
	By         By
	At         time.Time
}

// MaxRefusals limits how many refusals of a session are kept; older ones no longer count.
const MaxRefusals = 200

// Refused returns the row as a Refusal. It returns false if the row was not denied by a person or a
// deny rule, or if its touches are unknown.
func (a Approval) Refused() (Refusal, bool) {
	no := a.Status == Denied && (a.Response.Reason == UserDenied || a.Response.Reason == PolicyDenied)
	if !no || len(a.Touches) == 0 {
		return Refusal{}, false
	}
	return Refusal{ApprovalID: a.ApprovalID, ToolName: a.ToolName, Touches: a.Touches, By: a.Response.By, At: a.Response.At}, true
}

// Lifts reports whether the row ends refusals: a person approved the call without editing it.
func (a Approval) Lifts() bool {
	via := a.Response.By.Via
	return a.Status == Approved && len(a.Touches) > 0 && len(a.Response.Edit) == 0 && via != ViaPolicy && via != ViaGrant && via != ViaSystem
}

// Left returns the touches that remain refused after a call with the given touches was approved.
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
