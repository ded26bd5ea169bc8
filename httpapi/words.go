package httpapi

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/internal/comments"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

// wordList is a type that has only these words.
type wordList struct {
	of          reflect.Type
	told, taken reflect.Type // what stands for it in answers and in requests
	words       []any
}

// lists are the closed lists of words, all that there are of each type.
var lists = []wordList{
	listOf(approval.Pending, approval.Approved, approval.Denied, approval.Cancelled),
	listOf(approval.UserDenied, approval.PolicyDenied, approval.Timeout, approval.UserCancelled, approval.SystemCancelled,
		approval.Superseded, approval.ValidationFailed, approval.NoHandler, approval.HandlerFailed, approval.TooManyPending, approval.AskerGone, approval.Halted, approval.Observed),
	listOf(approval.Outcomes...),
	listOf(append([]approval.Via{approval.ViaConfiguration}, approval.Vias...)...),
	listOf(approval.RunNone, approval.RunClaimed, approval.RunFinished, approval.RunVoid),
	listOf(approval.GrantRevoked, approval.GrantSessionEnded, approval.GrantExpired, approval.GrantUsedUp,
		approval.GrantCrowdedOut, approval.GrantToolChanged, approval.GrantGiverGone, approval.GrantForgotten),
	listOf(approval.Once, approval.Session, approval.Always),
	listOf(approval.Manual, approval.AutoApprove, approval.AutoDeny),
	listOf(approval.ToolConfirmation, approval.Elicitation, approval.Custom),
	listOf(approval.CoverExact, approval.CoverCommand, approval.CoverPath, approval.CoverTool),
	listOf(approval.RiskLow, approval.RiskMedium, approval.RiskHigh, approval.RiskCritical),
	listOf(policy.Allow, policy.Ask, policy.Deny),
	listOf(session.StatusIdle, session.StatusActive, session.StatusWaitingApproval,
		session.StatusCompleted, session.StatusError, session.StatusCancelled),
	listOf(session.NodeWorks, session.NodeStandsBy, session.NodeGone),
	listOf(session.Completed, session.Cancelled, session.Failed),
	listOf(session.KindAgent, session.KindExternal),
	listOf(session.TypeCreated, session.TypeEnded, session.TypeTurnStarted, session.TypeTurnFinished, session.TypeUserMessage,
		session.TypeAssistantMessage, session.TypeToolResult, session.TypeApprovalRequested, session.TypeApprovalResolved,
		session.TypeApprovalVoided, session.TypeApprovalRevealed, session.TypeApprovalExtended, session.TypeGrantGiven, session.TypeGrantEnded,
		session.TypeBelowRequested, session.TypeBelowResolved),
	listOf(auth.Viewer, auth.Approver, auth.Operator, auth.Admin, auth.Agent),
	listOf(tool.Unconfined, tool.Bubblewrap),
	listOf(transcript.User, transcript.Assistant, transcript.Tool, transcript.System),
	listOf(approval.Words()...),
	listOf(auth.KindLogin, auth.KindTerminal, auth.KindToken, auth.KindLocal),
	listOf(auth.EndSignedOut, auth.EndRemoved, auth.EndTokenRevoked, auth.EndExpired, auth.EndCrowded),
	listOf(auth.InvitationOpen, auth.InvitationUsed, auth.InvitationWithdrawn, auth.InvitationReplaced, auth.InvitationExpired, auth.InvitationVoid),
}

// unsaid are the words that the gateway says and never takes.
var unsaid = []any{
	string(approval.Pending),
	string(approval.PolicyDenied), string(approval.Timeout), string(approval.SystemCancelled), string(approval.Superseded),
	string(approval.ValidationFailed), string(approval.NoHandler), string(approval.HandlerFailed), string(approval.TooManyPending),
	string(approval.AskerGone), string(approval.Halted),
}

func listOf[T ~string](words ...T) wordList {
	l := wordList{of: reflect.TypeFor[T](), told: reflect.TypeFor[word[T]](), taken: reflect.TypeFor[takenWord[T]]()}
	for _, w := range words {
		l.words = append(l.words, string(w))
	}
	return l
}

// wordsOf are all words of a type.
func wordsOf[T ~string]() []any {
	for _, l := range lists {
		if l.of == reflect.TypeFor[T]() {
			return l.words
		}
	}
	return nil
}

// word stands for a type of which there is a list, as the gateway says it.
type word[T ~string] string

// Schema implements huma.SchemaProvider.
func (word[T]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: comments.Of(reflect.TypeFor[T]()).Text, Enum: wordsOf[T]()}
}

// takenWord is a word as the gateway takes it.
type takenWord[T ~string] string

// Schema implements huma.SchemaProvider.
func (takenWord[T]) Schema(r huma.Registry) *huma.Schema {
	schema := word[T]("").Schema(r)
	schema.Enum = slices.DeleteFunc(slices.Clone(schema.Enum), func(w any) bool { return slices.Contains(unsaid, w) })
	return schema
}
