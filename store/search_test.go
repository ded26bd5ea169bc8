package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// seen is a row in its simplest form, to check a search against.
type seen struct {
	id, agent, session, tool, risk, by string
	at                                 time.Time
	status                             approval.Status
	outcome                            approval.Outcome
	text                               string
}

// wanted is the filter once more, as simple as possible.
func wanted(s seen, q approval.Search) bool {
	for _, word := range q.Words {
		if !strings.Contains(s.text, word) {
			return false
		}
	}
	is := func(want, got string) bool { return want == "" || want == got }
	return is(q.SessionID, s.session) && is(q.AgentID, s.agent) && is(q.ToolName, s.tool) && is(string(q.Risk), s.risk) && is(q.AnsweredBy, s.by) &&
		is(string(q.Status), string(s.status)) && is(string(q.Outcome), string(s.outcome)) &&
		(len(q.Agents) == 0 || slices.Contains(q.Agents, s.agent)) &&
		(q.Since.IsZero() || !s.at.Before(q.Since)) && (q.Until.IsZero() || s.at.Before(q.Until))
}

var (
	noon       = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	inSessions = []string{"one", "two"}
	ofAgents   = []string{"coder", "demo", "release"}
	ofTools    = []string{"deploy", "shell"}
	ofRisks    = []string{"low", "high"}
)

func instant(t *rapid.T, name string) time.Time {
	return noon.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, name)) * time.Second)
}

func TestASearchFindsWhatAPlainFilterLeaves(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		onDisk, s, stop := running(t, t.TempDir())
		defer stop()
		s.Reach(rapid.IntRange(1, 5).Draw(rt, "reach"))
		fixtures := map[string]approvaltest.Fixture{"SQLite": onDisk, "memory": approvaltest.Memory(t)}
		for _, f := range fixtures {
			for _, id := range inSessions {
				if _, err := f.Log.Create(t.Context(), session.Session{ID: id, AgentID: "demo"}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		var rows []seen
		for n := range rapid.IntRange(0, 25).Draw(rt, "rows") {
			rows = append(rows, made(t, rt, fixtures, n))
		}
		slices.SortFunc(rows, func(a, b seen) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(b.id, a.id)) })
		for range 6 {
			q := looked(rt)
			var want []string
			for _, row := range rows {
				if wanted(row, q) {
					want = append(want, row.id)
				}
			}
			for name, f := range fixtures {
				if diff := gocmp.Diff(want, allOf(t, f.Store, q)); diff != "" {
					rt.Fatalf("%s: %+v (-want +got):\n%s", name, q, diff)
				}
			}
		}
	})
}

// made creates the same request in each store, and answers it.
func made(t *testing.T, rt *rapid.T, fixtures map[string]approvaltest.Fixture, n int) seen {
	r := approvaltest.Request(t, rapid.SampledFrom(inSessions).Draw(rt, "session"), fmt.Sprint("call-", n))
	r.AgentID, r.ToolName = rapid.SampledFrom(ofAgents).Draw(rt, "agent"), rapid.SampledFrom(ofTools).Draw(rt, "tool")
	r.Risk.Level = approval.RiskLevel(rapid.SampledFrom(ofRisks).Draw(rt, "risk"))
	r.RequestedAt, r.ExpiresAt = instant(rt, "at"), time.Time{}
	word := rapid.SampledFrom([]string{"alpha", "Beta", "gamma", "alphabet"}).Draw(rt, "word")
	r.Args = tool.JSON(fmt.Sprintf(`{"command":%q}`, "run "+word))
	answer := drawn(rt, r.ApprovalID)
	for _, f := range fixtures {
		_, err := f.Store.Create(t.Context(), approval.New(r))
		if err == nil && answer.response.Status != "" {
			_, err = f.Store.Settle(t.Context(), answer.response, nil)
		}
		if err != nil {
			rt.Fatal(err)
		}
	}
	s := seen{
		id: r.ApprovalID, agent: r.AgentID, session: r.SessionID, tool: r.ToolName, risk: string(r.Risk.Level), at: r.RequestedAt,
		status: approval.Pending, outcome: approval.OutcomePending, text: strings.Join([]string{r.ApprovalID, r.AgentID, r.ToolName, "command", "run", word}, "\n"),
	}
	if answer.response.Status != "" {
		s.status, s.outcome, s.by = answer.response.Status, answer.outcome, answer.response.By.Subject
		s.text += "\n" + s.by + "\n" + answer.response.Message
	}
	s.text = strings.ToLower(s.text)
	return s
}

// looked draws a search.
func looked(t *rapid.T) approval.Search {
	sometimes := func(name string, of ...string) string {
		return rapid.SampledFrom(append(slices.Clone(of), make([]string, len(of))...)).Draw(t, name)
	}
	q := approval.Search{
		SessionID: sometimes("of session", inSessions...), AgentID: sometimes("of agent", ofAgents...), ToolName: sometimes("of tool", ofTools...),
		Risk: approval.RiskLevel(sometimes("of risk", ofRisks...)), AnsweredBy: sometimes("of person", "ada", "bob"),
		Outcome: approval.Outcome(sometimes("of outcome", "pending", "approved", "denied", "timed_out", "denied_by_rule")),
		Limit:   rapid.IntRange(1, 4).Draw(t, "limit"), Words: approval.ReadWords(sometimes("words", "alpha", "BET", "ada run", "shell gamma")),
	}
	if rapid.Bool().Draw(t, "for some agents") {
		q.Agents = []string{"coder", "demo"}
	}
	if rapid.Bool().Draw(t, "since") {
		q.Since = instant(t, "from")
	}
	if rapid.Bool().Draw(t, "until") {
		q.Until = instant(t, "to")
	}
	return q
}

type drawnAnswer struct {
	response approval.Response
	outcome  approval.Outcome
}

func drawn(t *rapid.T, id string) drawnAnswer {
	by := approval.By{Subject: rapid.SampledFrom([]string{"ada", "bob"}).Draw(t, "by"), Via: approval.ViaREST}
	one := rapid.SampledFrom([]drawnAnswer{
		{},
		{approval.Response{Status: approval.Approved, By: by}, approval.OutcomeApproved},
		{approval.Response{Status: approval.Denied, Reason: approval.UserDenied, Message: "Too alpha", By: by}, approval.OutcomeDenied},
		{approval.Response{Status: approval.Denied, Reason: approval.Timeout, By: approval.BySystem()}, approval.OutcomeTimedOut},
		{approval.Response{Status: approval.Denied, Reason: approval.PolicyDenied, By: approval.ByPolicy()}, approval.OutcomeDeniedByRule},
	}).Draw(t, "answer")
	one.response.ApprovalID = id
	return one
}

// allOf returns the ids on all pages of a search.
func allOf(t *testing.T, s approval.Store, q approval.Search) (ids []string) {
	t.Helper()
	for pages := 0; ; pages++ {
		found, err := s.Search(t.Context(), q)
		if err != nil || pages > 1000 {
			t.Fatalf("page %d: %v", pages, err)
		}
		for _, row := range found.Rows {
			ids = append(ids, row.ApprovalID)
		}
		if found.Next == "" {
			return ids
		}
		q.Before = found.Next
	}
}

// Only rows that its reader may know of count for where a page ends, so that it reveals nothing about other
// agents.
func TestWhereAPageEndsTellsNothingOfOtherAgents(t *testing.T) {
	ends := func(strangers int) (next []string) {
		f, s, stop := running(t, t.TempDir())
		defer stop()
		s.Reach(4)
		var mine []string
		for n := range 12 {
			for range strangers {
				one(t, f, `{}`, func(r *approval.Request) { r.AgentID = "stranger" })
			}
			a := one(t, f, `{}`, func(r *approval.Request) { r.AgentID = []string{"coder", "release"}[n%2] })
			mine = append(mine, a.ApprovalID)
		}
		q := approval.Search{Agents: []string{"coder", "release"}, Words: []string{"nowhere"}}
		for {
			page, err := f.Store.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if page.Next == "" {
				return next
			}
			next = append(next, fmt.Sprint(slices.Index(mine, page.Next)))
			q.Before = page.Next
		}
	}
	alone := ends(0)
	if diff := gocmp.Diff(alone, ends(3)); diff != "" || len(alone) < 2 || slices.Contains(alone, "-1") {
		t.Errorf("alone it ends at %v (-alone +among strangers):\n%s", alone, diff)
	}
}

func TestASearchReadsOneStretchOfItsIndex(t *testing.T) {
	for name, c := range map[string]struct {
		search approval.Search
		plan   string
	}{
		"all":                  {approval.Search{Words: []string{"x"}, Risk: approval.RiskHigh}, "SEARCH h USING PRIMARY KEY ((requested_at,id)>(?,?) AND (requested_at,id)<(?,?))"},
		"an agent":             {approval.Search{AgentID: "a", Words: []string{"x"}}, "SEARCH h USING INDEX history_agent (agent_id=? AND (requested_at,id)>(?,?) AND (requested_at,id)<(?,?))"},
		"pending":              {approval.Search{Status: approval.Pending}, "SEARCH a USING INDEX approvals_open (requested_at>? AND requested_at<?)"},
		"a session":            {approval.Search{SessionID: "s"}, "SEARCH a USING COVERING INDEX approvals_session (session_id=? AND requested_at>?)"},
		"pending in a session": {approval.Search{SessionID: "s", Status: approval.Pending}, "SEARCH waiting USING PRIMARY KEY (session_id=?)"},
		"some agents' newest":  {approval.Search{Agents: []string{"a", "b"}}, "SEARCH history USING COVERING INDEX history_agent (agent_id=? AND (requested_at,id)<(?,?))"},
	} {
		t.Run(name, func(t *testing.T) {
			f, s, stop := running(t, t.TempDir())
			defer stop()
			if _, err := f.Store.Search(t.Context(), c.search); err != nil {
				t.Fatal(err)
			}
			plans, err := s.Plans(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if steps := slices.Concat(slices.Collect(maps.Values(plans))...); !slices.Contains(steps, c.plan) {
				t.Errorf("the plans are\n%s", strings.Join(steps, "\n"))
			}
		})
	}
}
