package approval

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// Search says which rows of the past are wanted; its zero value is all of them.
type Search struct {
	SessionID  string    // only of this session and those below it
	AgentID    string    // only of this agent
	Agents     []string  // only of these; none: of any
	ToolName   string    // only of this tool
	Status     Status    // only those that stand there
	Outcome    Outcome   // only those that stand there
	Risk       RiskLevel // only of this level
	AnsweredBy string    // only those with this person's answer
	Words      []string  // only rows in whose Words each of these is found; at most MaxWords; see ReadWords
	Since      time.Time // only those that were asked at this time or later
	Until      time.Time // only those that were asked before this time
	Before     string    // only those that were asked before this row, by id
	Limit      int       // the most to find; zero: SearchPage
}

// SearchPage is how many rows a search finds where no limit is named.
const SearchPage = 100

// SearchBytes is how many bytes of requests end a page. The last one may exceed it.
const SearchBytes = 1 << 20

// SearchReach is how many rows a search looks through before it says how far it has come.
const SearchReach = 20_000

// MaxWords is how many words a search takes.
const MaxWords = 8

// Found is a page of what a search has found. It may have fewer rows than wanted and not be the
// last: what one search looks through is bounded.
type Found struct {
	Rows   []Approval // newest first
	Next   string     // Before of the next page; empty on the last
	NextAt time.Time  // when that row was asked: how far the search has come

	bytes int // of Rows
}

// Most is how many rows are found at most.
func (q Search) Most() int { return cmp.Or(q.Limit, SearchPage) }

// Add takes the next row into the page; full if there is no room for it: then the next page begins with it.
func (f *Found) Add(q Search, a Approval) (full bool) {
	if n := len(f.Rows); n == q.Most() || f.bytes > SearchBytes {
		f.Next, f.NextAt = f.Rows[n-1].ApprovalID, f.Rows[n-1].RequestedAt
		return true
	}
	f.Rows, f.bytes = append(f.Rows, a), f.bytes+a.Size()
	return false
}

// Of are the agents whose rows are wanted, unless those of all are.
func (q Search) Of() (agents []string, all bool) {
	switch {
	case q.AgentID == "":
		return q.Agents, len(q.Agents) == 0
	case len(q.Agents) == 0, slices.Contains(q.Agents, q.AgentID):
		return []string{q.AgentID}, false
	default:
		return nil, false
	}
}

// Waiting reports whether only what waits is wanted.
func (q Search) Waiting() bool { return q.Status == Pending || q.Outcome == OutcomePending }

// Sifts reports whether many rows may have to be looked through for each that is found.
func (q Search) Sifts() bool {
	return q.ToolName != "" || q.Status != "" || q.Outcome != "" || q.Risk != "" || q.AnsweredBy != "" || len(q.Words) > 0
}

// Matches reports whether a row meets the conditions; Before and Limit are for the whole of an answer.
func (q Search) Matches(a Approval) bool {
	agents, all := q.Of()
	switch {
	case q.SessionID != "" && !a.In(q.SessionID),
		!all && !slices.Contains(agents, a.AgentID),
		q.ToolName != "" && a.ToolName != q.ToolName,
		q.Status != "" && a.Status != q.Status,
		q.Outcome != "" && a.Outcome() != q.Outcome,
		q.Risk != "" && a.Risk.Level != q.Risk,
		q.AnsweredBy != "" && a.Response.By.Subject != q.AnsweredBy,
		!q.Since.IsZero() && a.RequestedAt.Before(q.Since),
		!q.Until.IsZero() && !a.RequestedAt.Before(q.Until):
		return false
	}
	return len(q.Words) == 0 || hasAll(a.Words(), q.Words)
}

func hasAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// ReadWords are the words that a person types to search by.
func ReadWords(text string) []string { return strings.Fields(strings.ToLower(text)) }

// What a search looks through, in bytes: of one text of a row, and of a row's request or its answer.
const (
	maxSearchedText = 4 << 10
	maxSearched     = 16 << 10
)

// Words are what a search for words looks through, of a row as people are shown it: masked, with hidden
// characters written out, in lower case.
func (a Approval) Words() string {
	words := a.Request.Words()
	for _, r := range []Response{a.Response, a.Voided} {
		if r.Status != "" {
			words += r.Words()
		}
	}
	return words
}

// Words are the request's part of Approval.Words.
func (r Request) Words() string {
	var w words
	w.add(r.ToolName, r.AgentID, r.Origin.Client, r.Origin.Run, r.Message, r.WorkingDirectory, r.Policy.Rule, r.ApprovalID)
	w.json(r.Args)
	return w.String()
}

// Words are the answer's part of Approval.Words: who gave it, and what was said.
func (r Response) Words() string {
	var w words
	w.add(r.By.Subject, r.Message)
	w.json(r.Edit)
	w.json(r.FormData)
	return w.String()
}

// words collects texts, one a line.
type words struct{ strings.Builder }

func (w *words) add(texts ...string) {
	for _, text := range texts {
		most := min(maxSearchedText, maxSearched-w.Len())
		if text == "" || most <= 0 {
			continue
		}
		text = strings.ToLower(mask.Hidden(beginning(text, most))) // which may make it longer
		w.WriteString(beginning(text, most) + "\n")
	}
}

func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// json adds the names and values of a JSON text.
func (w *words) json(v tool.JSON) {
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for w.Len() < maxSearched {
		t, err := d.ReadToken()
		if err != nil {
			return // its end
		}
		switch t.Kind() {
		case '"', '0', 't', 'f':
			w.add(t.String())
		}
	}
}
