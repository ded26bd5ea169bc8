package approval

import (
	"github.com/lineclear/lineclear/mask"
	"github.com/lineclear/lineclear/tool"
)

// Masked is the request as people are shown it: with what looks like a secret
// taken out. What was digested, and what runs, has it.
func (r Request) Masked(s *mask.Secrets) Request {
	found := false
	text := func(t string) string {
		masked, hit := s.Text(t)
		found = found || hit
		return masked
	}
	list := func(lines []string) []string {
		masked := make([]string, len(lines))
		for i, line := range lines {
			masked[i] = text(line)
		}
		return masked
	}
	if len(r.Args) > 0 {
		r.Args, found = s.JSON(r.Args)
	}
	r.Message, r.Preview.Diff, r.Policy.Rule = text(r.Message), text(r.Preview.Diff), text(r.Policy.Rule)
	if len(r.Policy.Trace) > 0 {
		r.Policy.Trace = list(r.Policy.Trace)
	}
	if len(r.Context) > 0 {
		said := make([]tool.Said, len(r.Context))
		for i, c := range r.Context {
			c.Text = text(c.Text)
			said[i] = c
		}
		r.Context = said
	}
	if len(r.Risk.Reasons) > 0 {
		r.Risk.Reasons = list(r.Risk.Reasons)
	}
	r.HasSecrets = found
	return r
}
