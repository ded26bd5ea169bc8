package approval_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// TestRowsKeepTheirPromisesInAnyOrderOfEvents drives one row with random
// events and checks what must hold for ever, whatever came before.
func TestRowsKeepTheirPromisesInAnyOrderOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1000, 0)
		deadline := now.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "timeout")) * time.Second)
		kind := rapid.SampledFrom([]approval.Type{approval.ToolConfirmation, approval.Elicitation}).Draw(t, "type")
		row := approval.New(approval.Request{ApprovalID: "a", Type: kind, ExpiresAt: deadline})
		claims, answers, results := 0, 0, 0
		for range rapid.IntRange(1, 20).Draw(t, "events") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "later")) * time.Second)
			before := row
			next, err := step(t, row, now)
			if err != nil {
				if diff := cmp.Diff(before, next); diff != "" {
					t.Fatalf("refused, but changed:\n%s", diff)
				}
				continue
			}
			row = next
			if diff := cmp.Diff(before.Response, row.Response); before.Status != approval.Pending && (diff != "" || row.Status != before.Status) {
				t.Fatalf("an answer changed from %s to %s:\n%s", before.Status, row.Status, diff)
			}
			if before.Status == approval.Pending && row.Status != approval.Pending {
				answers++
				if !before.Expired(now) == (row.Response.Reason == approval.Timeout) {
					t.Fatalf("answered at %v, deadline %v, reason %q", now, deadline, row.Response.Reason)
				}
			}
			if before.Run != approval.RunClaimed && row.Run == approval.RunClaimed {
				claims++
			}
			if row.HasResult && row.Rev != before.Rev {
				results++
			}
			if (row.Run == approval.RunClaimed || row.Run == approval.RunFinished) && row.Status != approval.Approved {
				t.Fatalf("%s, but the run is %s", row.Status, row.Run)
			}
			if row.Rev < before.Rev || (row.Rev == before.Rev) != cmp.Equal(row, before) {
				t.Fatalf("rev went from %d to %d", before.Rev, row.Rev)
			}
		}
		if claims > 1 || answers > 1 || results > 1 {
			t.Fatalf("claimed %d times, answered %d times, with %d results", claims, answers, results)
		}
	})
}

func step(t *rapid.T, row approval.Approval, now time.Time) (approval.Approval, error) {
	switch rapid.SampledFrom([]string{"settle", "claim", "finish", "supersede"}).Draw(t, "event") {
	case "settle":
		status := rapid.SampledFrom([]approval.Status{
			approval.Approved, approval.Denied, approval.Cancelled, approval.Pending, "", "yes",
		}).Draw(t, "status")
		return row.Settle(approval.Response{Status: status, By: approval.By{Subject: "ada"}}, now)
	case "claim":
		return row.Claim(time.Duration(rapid.IntRange(0, 5).Draw(t, "within"))*time.Second, now)
	case "supersede":
		next, changed := row.Supersede(now)
		if !changed {
			return row, errors.New("unchanged")
		}
		return next, nil
	default:
		return row.Finish()
	}
}

func TestAnAnswerStandsWhateverIsSaidLater(t *testing.T) {
	words := []approval.Status{approval.Approved, approval.Denied, approval.Cancelled}
	say := func(status approval.Status, by string) approval.Response {
		return approval.Response{Status: status, By: approval.By{Subject: by}}
	}
	now := time.Unix(1000, 0)
	for _, first := range words {
		for _, later := range words {
			answered, err := approval.New(approval.Request{Type: approval.ToolConfirmation}).Settle(say(first, "ada"), now)
			if err != nil {
				t.Fatal(err)
			}
			after, err := answered.Settle(say(later, "bob"), now)
			takenBack := first == approval.Approved && later == approval.Cancelled
			if takenBack != (err == nil) || !takenBack && !errors.Is(err, approval.ErrDecided) {
				t.Errorf("%s after %s: %v", later, first, err)
			}
			if diff := cmp.Diff(answered.Response, after.Response); diff != "" || after.Status != first {
				t.Errorf("%s after %s: it is %s:\n%s", later, first, after.Status, diff)
			}
		}
	}
}

func TestAWordThatIsNoAnswerSettlesNothing(t *testing.T) {
	for _, word := range []approval.Status{"", approval.Pending, "yes", "aproved", "Approved", "approved "} {
		row := approval.New(approval.Request{Type: approval.ToolConfirmation})
		after, err := row.Settle(approval.Response{Status: word}, time.Unix(1000, 0))
		if diff := cmp.Diff(row, after); err == nil || diff != "" {
			t.Errorf("%q: %v\n%s", word, err, diff)
		}
	}
}

func TestARowWithoutArgumentsRunsWithAnEmptyObject(t *testing.T) {
	for edit, want := range map[string]string{"": "{}", "{}": "{}", `{"n":1}`: `{"n":1}`} {
		a := approval.Approval{Response: approval.Response{Edit: tool.JSON(edit)}}
		if args, err := a.RunArgs(); err != nil || string(args) != want {
			t.Errorf("with the edit %q: %s, %v", edit, args, err)
		}
	}
}

func TestTheOrderOfRulesNeedsAndModes(t *testing.T) {
	const deny, ask, allow = "deny rule", "ask rule", "allow rule"
	modes := []approval.Mode{approval.Manual, approval.AutoApprove, approval.AutoDeny}
	needs := []approval.Need{approval.NeedByMode, approval.NeedAsk, approval.NeedNone}
	for bits := range 64 {
		f := approval.Findings{}
		if bits&1 != 0 {
			f.Deny = deny
		}
		if bits&2 != 0 {
			f.Ask = ask
		}
		if bits&4 != 0 {
			f.Allow = allow
		}
		if bits&8 != 0 {
			f.Grant = &approval.Grant{}
		}
		f.Unknown = bits&16 != 0
		if bits&32 != 0 {
			f.Fence = "fence"
		}
		for _, mode := range modes {
			for _, need := range needs {
				want := expected(f, need, mode)
				got := approval.Weigh(f, need, mode)
				if got.Effect != want {
					t.Errorf("%+v, need %v, mode %s: effect %v, want %v", f, need, mode, got.Effect, want)
				}
				outside := !f.Unknown && (f.Allow != "" || f.Grant != nil)
				if fenced := want == approval.Allow && f.Fence != "" && !outside; got.Fenced != fenced {
					t.Errorf("%+v, need %v, mode %s: fenced %t, want %t", f, need, mode, got.Fenced, fenced)
				}
			}
		}
	}
}

// expected says the order a second time, as sentences: the first that applies.
func expected(f approval.Findings, need approval.Need, mode approval.Mode) approval.Effect {
	for _, rule := range []struct {
		applies bool
		effect  approval.Effect
	}{
		{f.Deny != "", approval.Deny},
		{f.Ask != "", approval.AskPerson},
		{f.Allow != "" && !f.Unknown || need == approval.NeedNone, approval.Allow},
		{f.Grant != nil && !f.Unknown || f.Fence != "", approval.Allow},
		{need == approval.NeedAsk, approval.AskPerson},
		{mode == approval.AutoApprove, approval.Allow},
		{mode == approval.AutoDeny, approval.Deny},
	} {
		if rule.applies {
			return rule.effect
		}
	}
	return approval.AskPerson
}

func TestAnAskRuleAndACallThatIsNotKnownOfferOnceOnly(t *testing.T) {
	grant := &approval.Grant{}
	for name, v := range map[string]approval.Verdict{
		"an ask rule": approval.Weigh(approval.Findings{Ask: "r", Allow: "a", Grant: grant}, approval.NeedNone, approval.AutoApprove),
		"not known":   approval.Weigh(approval.Findings{Allow: "a", Grant: grant, Unknown: true}, approval.NeedAsk, approval.AutoApprove),
	} {
		if diff := cmp.Diff([]approval.Scope{approval.Once}, v.Scopes); diff != "" || v.Grant != nil {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The cases of RFC 7396, appendix A.
func TestMergePatchesAsInTheRFC(t *testing.T) {
	for _, c := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		got, err := approval.MergePatch(tool.JSON(c.target), tool.JSON(c.patch))
		if err != nil || string(got) != c.want {
			t.Errorf("%s with %s is %s, %v; want %s", c.target, c.patch, got, err, c.want)
		}
	}
}

func TestTheDigestIsOverWhatIsShownAndNothingElse(t *testing.T) {
	base := approval.Request{
		AgentID: "demo", Type: approval.ToolConfirmation, ToolName: "shell",
		Args: tool.JSON(`{"a":1,"b":"x"}`), WorkingDirectory: "/srv",
	}
	of := func(change func(*approval.Request)) string {
		r := base
		change(&r)
		d, err := approval.Digest(r)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	same := of(func(*approval.Request) {})
	if spaced := of(func(r *approval.Request) { r.Args = tool.JSON(`{ "b": "\u0078", "a": 1.0 }`) }); spaced != same {
		t.Error("another spelling of the same arguments has another digest")
	}
	if other := of(func(r *approval.Request) { r.ApprovalID, r.SessionID, r.Message = "x", "y", "z" }); other != same {
		t.Error("what is not shown to be run changes the digest")
	}
	for name, change := range map[string]func(*approval.Request){
		"agent":             func(r *approval.Request) { r.AgentID = "other" },
		"tool":              func(r *approval.Request) { r.ToolName = "other" },
		"arguments":         func(r *approval.Request) { r.Args = tool.JSON(`{"a":1,"b":"y"}`) },
		"working directory": func(r *approval.Request) { r.WorkingDirectory = "/" },
		"file hash":         func(r *approval.Request) { r.Preview.FileHash = "abc" },
	} {
		if of(change) == same {
			t.Errorf("another %s has the same digest", name)
		}
	}
	r := base
	r.Args = tool.JSON(`{"n":9007199254740993}`)
	if _, err := approval.Digest(r); err == nil {
		t.Error("a number that a double can't hold has a digest")
	}
}

func TestAPatternCoversFromEndToEnd(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`git status`, `git status`, true},
		{`git status`, `git status; rm -rf /`, false},
		{`git status`, "git status\nrm", false},
		{`a|ab`, `ab`, true},
		{`^a$`, "a\n", false},
		{`(?s).*`, "a\nb", true},
		{`.*`, "a\nb", false},
	} {
		p, err := approval.CompilePattern(c.pattern)
		if err != nil || p.Covers(c.text) != c.want {
			t.Errorf("%q covers %q: %v, %v", c.pattern, c.text, !c.want, err)
		}
	}
	if (approval.Pattern{}).Covers("") {
		t.Error("no pattern covers something")
	}
	if _, err := approval.CompilePattern(`a)|(b`); err == nil {
		t.Error("a pattern can reach over the anchors")
	}
}

func TestWordsOnTheWireAreExact(t *testing.T) {
	for _, raw := range []string{`"APPROVED"`, `"approve"`, `"yes"`, `""`, `" approved"`, `1`, `true`} {
		var s approval.Status
		if err := json.Unmarshal([]byte(raw), &s); err == nil {
			t.Errorf("status %s is taken as %q", raw, s)
		}
	}
	var m approval.Mode
	if err := json.Unmarshal([]byte(`"event-based"`), &m); err == nil || !strings.Contains(err.Error(), "renamed to manual") {
		t.Errorf("event-based: %v", err)
	}
}

func TestOtherSystemsWordsMeanWhatTheTableSays(t *testing.T) {
	for word, want := range map[string]approval.Status{
		"approve": approval.Approved, "Once": approval.Approved, "Always": approval.Approved, "unlimited": approval.Approved,
		"reject": approval.Denied, "no": approval.Denied, "Cancel": approval.Cancelled, "abort": approval.Cancelled,
	} {
		if got, _, err := approval.ParseWord(word); err != nil || got != want {
			t.Errorf("%s is %s, %v", word, got, err)
		}
	}
	if _, scope, _ := approval.ParseWord("Always"); scope != approval.Session {
		t.Errorf("Always has scope %s", scope)
	}
	if s, _, err := approval.ParseWord("nope"); err == nil || s != "" {
		t.Errorf("nope is %q, %v", s, err)
	}
}

// The digest's text is written in the order and the notation of RFC 8785, and not put
// into it afterwards.
func TestWhatIsDigestedIsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aé\"\\/\u0001\u2028\u007f\U0001F600<&\n"), unicode.L))
		r := approval.Request{
			Type: approval.ToolConfirmation, AgentID: text.Draw(t, "agent"), ToolName: text.Draw(t, "tool"),
			WorkingDirectory: text.Draw(t, "directory"), Preview: tool.Preview{FileHash: text.Draw(t, "hash")},
		}
		raw, err := json.Marshal(map[string]any{text.Draw(t, "name"): text.Draw(t, "value"), "n": rapid.Float64Range(-1e6, 1e6).Draw(t, "number")})
		if err != nil {
			t.Fatal(err)
		}
		r.Args = raw
		subject := map[string]any{"agent": r.AgentID, "tool": r.ToolName, "args": r.Args}
		if r.WorkingDirectory != "" {
			subject["workingDirectory"] = r.WorkingDirectory
		}
		if r.Preview.FileHash != "" {
			subject["fileHash"] = r.Preview.FileHash
		}
		whole, err := json.Marshal(subject)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := strictjson.Canonicalize(whole)
		if err != nil {
			t.Skip("numbers that have no canonical form have no digest")
		}
		want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(canonical.String())))
		if got, err := approval.Digest(r); err != nil || got != want {
			t.Fatalf("of %s it is %s, %v; want %s", canonical, got, err, want)
		}
	})
}

func TestARequestThatIsRefusedForNumbersIsKeptByItsDigest(t *testing.T) {
	r := approval.Request{
		ApprovalID: "a", AgentID: "demo", SessionID: "s", Type: approval.ToolConfirmation, ToolName: "deploy", ToolCallID: "c",
		Args: tool.JSON(`{"text":"` + strings.Repeat("x", 60_000) + `"}`), Message: strings.Repeat("m", 60_000),
		Metadata: map[string]string{"k": strings.Repeat("v", 60_000)}, Context: []tool.Said{{Text: strings.Repeat("c", 60_000)}},
		Scopes: []approval.Scope{approval.Once}, RequestedAt: time.Now().UTC(),
	}
	var err error
	if r.ArgsDigest, err = approval.Digest(r); err != nil {
		t.Fatal(err)
	}
	a := approval.New(r)
	a.MaxPending = 2
	if kept, err := a.CheckLimit(1); err != nil || kept.Status != approval.Pending || len(kept.Args) < 60_000 {
		t.Errorf("one that may wait: %s, %d bytes, %v", kept.Status, len(kept.Args), err)
	}
	kept, err := a.CheckLimit(2)
	if err != nil || kept.Status != approval.Denied || kept.ArgsDigest != r.ArgsDigest || string(kept.Args) != `{"notKept":"60011 bytes"}` {
		t.Errorf("%s %s %s, %v", kept.Status, kept.ArgsDigest, kept.Args, err)
	}
	if raw, err := json.Marshal(kept.Request); err != nil || len(raw) > 1500 {
		t.Errorf("%d bytes are kept: %s, %v", len(raw), raw, err)
	}
}
