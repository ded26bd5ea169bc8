package store

import (
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// The most that the audit log has of one text or value, in bytes. The journal has all of it, and the digest shows
// whether it is the same.
const (
	maxAuditText = 16 << 10
	maxAuditJSON = 256 << 10
)

// requester returns who asks for a call or runs it: the agent, or the program that logged in.
func requester(r approval.Request) approval.By {
	by := approval.By{Subject: r.AgentID, Via: "agent"}
	if r.Origin.Kind != "" {
		by.Via = approval.Via(r.Origin.Kind)
	}
	if r.Origin.Subject != "" {
		by.Subject = r.Origin.Subject
	}
	return by
}

func about(r approval.Request) audit.About {
	return audit.About{
		ApprovalID: r.ApprovalID, SessionID: r.SessionID, AgentID: r.AgentID,
		ToolName: r.ToolName, ToolCallID: r.ToolCallID, ArgsDigest: r.ArgsDigest,
	}
}

func (s *Store) requested(r approval.Request) audit.Requested {
	args, bytes := s.maskedJSON(r.Args)
	return audit.Requested{
		About: about(r), Type: string(r.Type), Round: r.Round, ToolDigest: r.ToolDigest, FileHash: r.Preview.FileHash,
		Sandbox:          string(r.Sandbox.Kind),
		WorkingDirectory: s.maskedText(r.WorkingDirectory), Message: s.maskedText(r.Message), Args: args, ArgsBytes: bytes,
		Risk: string(r.Risk.Level), Rule: s.maskedText(r.Policy.Rule), Trace: maskedLines(r.Knowing(s.secrets), r.Policy.Trace),
		Origin: audit.Origin{Kind: r.Origin.Kind, Client: r.Origin.Client, Subject: r.Origin.Subject, Run: r.Origin.Run, Parent: r.Origin.Parent},
		SentBy: r.SentBy, Approvers: s.approvers(r.Approvers),
		RequestedAt: r.RequestedAt, ExpiresAt: r.ExpiresAt,
	}
}

func (s *Store) approvers(list []approval.Approvers) []audit.Approvers {
	var all []audit.Approvers
	for _, a := range list {
		one := audit.Approvers{Rule: s.maskedText(a.Rule), Subjects: a.Subjects, NotSender: a.NotSender}
		for _, r := range a.Roles {
			one.Roles = append(one.Roles, string(r))
		}
		all = append(all, one)
	}
	return all
}

func (s *Store) answered(asked approval.Request, r approval.Response) audit.Resolved {
	a := audit.Resolved{
		About: about(asked), Status: string(r.Status), Reason: string(r.Reason), Rule: s.maskedText(asked.Policy.Rule),
		Scope: string(r.Scope), GrantID: r.GrantID, Message: s.maskedText(r.Message),
		Millis: max(0, r.At.Sub(asked.RequestedAt).Milliseconds()),
	}
	a.Edit, _ = s.maskedJSON(r.Edit)
	a.FormData, _ = s.maskedJSON(r.FormData)
	if len(r.Edit) > 0 {
		a.RunsDigest = editedDigest(asked, r.Edit)
	}
	return a
}

// editedDigest returns the digest of an edited call; empty if the edit does not apply, which can't have been
// approved.
func editedDigest(asked approval.Request, edit tool.JSON) string {
	args, err := approval.MergePatch(asked.Args, edit)
	if err != nil {
		return ""
	}
	asked.Args = args
	digest, err := approval.Digest(asked)
	if err != nil {
		return ""
	}
	return digest
}

func (s *Store) grant(g approval.Grant) audit.Grant {
	return audit.Grant{
		About: audit.About{
			ApprovalID: g.ApprovalID, SessionID: g.SessionID, AgentID: g.AgentID, ToolName: g.ToolName, ArgsDigest: g.Digest,
		},
		GrantID: g.ID, Scope: string(g.Scope), Covers: string(g.Covers.Kind), Text: s.maskedText(g.Masked(s.secrets).Words()),
		ExpiresAt: g.ExpiresAt, MaxUses: g.MaxUses, Uses: g.Uses, Reason: string(g.Ended.Reason),
	}
}

// maskedText masks a text before it shortens it: half a secret may not look like one.
func (s *Store) maskedText(text string) string { return maskedText(s.secrets, text) }

func maskedText(secrets *mask.Secrets, text string) string {
	text, _ = secrets.Text(text)
	if len(text) > maxAuditText {
		text = strings.ToValidUTF8(text[:maxAuditText], "") + "…"
	}
	return text
}

func maskedLines(secrets *mask.Secrets, lines []string) []string {
	masked := make([]string, len(lines))
	for i, line := range lines {
		masked[i] = maskedText(secrets, line)
	}
	return masked
}

// maskedJSON returns a value masked, or only its length if it is too long.
func (s *Store) maskedJSON(v tool.JSON) (masked tool.JSON, bytes int) {
	if len(v) > maxAuditJSON {
		return nil, len(v)
	}
	masked, _ = s.secrets.JSON(v)
	return masked, 0
}
