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

// Search selects rows, settled and pending ones. Its zero value selects all.
type Search struct {
	SessionID  string    // only rows of this session and those below it
	AgentID    string    // only rows of this agent
	Agents     []string  // only rows of these agents; none: of all
	ToolName   string    // only requests for this tool
	Status     Status    // only rows with this status
	Outcome    Outcome   // only rows with this outcome
	Risk       RiskLevel // only rows of this level
	AnsweredBy string    // only rows that this person answered
	Words      []string  // only rows whose Words contain all of these, at most MaxWords; see ReadWords
	Since      time.Time // only rows requested at this time or later
	Until      time.Time // only rows requested before this time
	Before     string    // only rows requested before the one with this id
	Limit      int       // how many rows to find at most; zero: SearchPage
}

// SearchPage is the default of Search.Limit.
const SearchPage = 100

// SearchBytes bounds the size of a page's requests, in bytes. The last request may exceed it.
const SearchBytes = 1 << 20

// SearchReach is how many rows a search examines for one page, even if it finds few.
const SearchReach = 20_000

// MaxWords is how many words a search takes at most.
const MaxWords = 8

// Found is a page of a search's results. A page with fewer rows than the limit need not be the last:
// the number of rows examined for one page is bounded.
type Found struct {
	Rows   []Approval // newest first
	Next   string     // the next page's Before; empty on the last page
	NextAt time.Time  // when that row was requested: how far back the search got

	bytes int // the size of Rows
}

// Most returns how many rows a page has at most.
func (q Search) Most() int { return cmp.Or(q.Limit, SearchPage) }

// Add appends the next row to the page. If there is no room, it returns full, and the next page begins with that row.
func (f *Found) Add(q Search, a Approval) (full bool) {
	if n := len(f.Rows); n == q.Most() || f.bytes > SearchBytes {
		f.Next, f.NextAt = f.Rows[n-1].ApprovalID, f.Rows[n-1].RequestedAt
		return true
	}
	f.Rows, f.bytes = append(f.Rows, a), f.bytes+a.Size()
	return false
}

// Of returns the agents whose rows are wanted; all if those of every agent are.
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

// Waiting reports whether only pending rows are wanted.
func (q Search) Waiting() bool { return q.Status == Pending || q.Outcome == OutcomePending }

// Sifts reports whether the search may have to examine many rows for each one it finds.
func (q Search) Sifts() bool {
	return q.ToolName != "" || q.Status != "" || q.Outcome != "" || q.Risk != "" || q.AnsweredBy != "" || len(q.Words) > 0
}

// Matches reports whether a row meets the conditions. It ignores Before and Limit, which are about pages.
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

// ReadWords splits what a person typed into lower-case words to search for.
func ReadWords(text string) []string { return strings.Fields(strings.ToLower(text)) }

// How many bytes are searched at most: of one text of a row, and of a row's request or answer in all.
const (
	maxSearchedText = 4 << 10
	maxSearched     = 16 << 10
)

// Words returns the text in which words are looked for, in lower case and with hidden characters written out.
// Call it on a masked row, so that nobody finds what they aren't shown.
func (a Approval) Words() string {
	words := a.Request.Words()
	for _, r := range []Response{a.Response, a.Voided} {
		if r.Status != "" {
			words += r.Words()
		}
	}
	return words
}

// Words returns the request's part of Approval.Words.
func (r Request) Words() string {
	var w words
	w.add(r.ToolName, r.AgentID, r.Origin.Client, r.Origin.Run, r.Message, r.WorkingDirectory, r.Policy.Rule, r.ApprovalID)
	w.json(r.Args)
	return w.String()
}

// Words returns the answer's part of Approval.Words: who gave it, and what they said.
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
		text = strings.ToLower(mask.Hidden(beginning(text, most))) // both may make it longer
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
			return // the end
		}
		switch t.Kind() {
		case '"', '0', 't', 'f':
			w.add(t.String())
		}
	}
}
