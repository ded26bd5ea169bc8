package approval

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// Masked is the request as people are shown it: with what looks like a secret
// taken out. What was digested, and what runs, has it.
func (r Request) Masked(s *mask.Secrets) Request {
	asked, found := r, false
	text := func(t string) string {
		masked, hit := s.Text(t)
		found = found || hit
		return masked
	}
	if len(r.Args) > 0 {
		r.Args, found = s.JSON(r.Args)
	}
	r.Message, r.Policy.Rule, r.WorkingDirectory = text(r.Message), text(r.Policy.Rule), text(r.WorkingDirectory)
	diff, hit := s.Diff(r.Preview.Diff)
	r.Preview.Diff, r.Preview.Rest, found = diff, "", found || hit
	if len(r.Context) > 0 {
		said := make([]tool.Said, len(r.Context))
		for i, c := range r.Context {
			c.Text = text(c.Text)
			said[i] = c
		}
		r.Context = said
	}
	if len(r.Metadata) > 0 {
		shown := make(map[string]string, len(r.Metadata))
		for name, value := range r.Metadata {
			var hit bool
			shown[name], hit = s.Field(name, value)
			found = found || hit
		}
		r.Metadata = shown
	}
	if len(r.Covers) > 0 {
		covers := make([]Coverage, len(r.Covers))
		for i, c := range r.Covers {
			covers[i] = c.Masked(s)
		}
		r.Covers = covers
	}
	derived := s
	if found {
		derived = asked.Knowing(s)
	}
	hit = r.maskDerived(s, derived)
	r.HasSecrets = found || hit
	if r.HasSecrets && r.Type == ToolConfirmation {
		r.Schema = nil // a program's may repeat its arguments
	}
	return r
}

// Masked is the row as people are shown it.
func (a Approval) Masked(s *mask.Secrets) Approval {
	a.Request, a.Response, a.Voided = a.Request.Masked(s), a.Response.Masked(s), a.Voided.Masked(s)
	return a
}

// maskDerived masks the texts that the gateway derived from the request, and reports
// whether one of them had a secret.
func (r *Request) maskDerived(s, derived *mask.Secrets) (found bool) {
	list := func(lines []string) []string {
		if len(lines) == 0 {
			return lines
		}
		masked := make([]string, len(lines))
		for i, line := range lines {
			var hit bool
			masked[i], hit = derived.Text(line)
			found = found || hit
		}
		return masked
	}
	r.Policy.Trace, r.Misleading, r.Risk.Reasons = list(r.Policy.Trace), list(r.Misleading), list(r.Risk.Reasons)
	r.Approvers = slices.Clone(r.Approvers)
	for i, a := range r.Approvers {
		var hit bool
		r.Approvers[i].Rule, hit = derived.Text(a.Rule)
		found = found || hit
	}
	if len(r.Commands) > 0 {
		commands := make([]Command, len(r.Commands))
		for i, c := range r.Commands {
			text, hit := s.Text(c.Text) // it could run: see mask.Secrets.Knowing
			c.Text, c.Does, found = text, list(c.Does), found || hit
			commands[i] = c
		}
		r.Commands = commands
	}
	return found
}

// Knowing returns a Secrets for texts derived from the request, such as a reason: it also
// masks the secrets found in the request wherever they appear.
func (r Request) Knowing(s *mask.Secrets) *mask.Secrets {
	said, err := json.Marshal(map[string]any{
		"args": r.Args, "metadata": r.Metadata, "context": r.Context, "message": r.Message, "diff": r.Preview.Diff, "directory": r.WorkingDirectory,
	})
	if err != nil {
		return s.Knowing(r.Args)
	}
	return s.Knowing(said)
}

// Masked is the coverage as people are shown it.
func (c Coverage) Masked(s *mask.Secrets) Coverage {
	list := func(lines []string) []string {
		if len(lines) == 0 {
			return lines
		}
		masked := make([]string, len(lines))
		for i, line := range lines {
			masked[i], _ = s.Text(line)
		}
		return masked
	}
	c.Text, _ = s.Text(c.Text)
	c.Command, c.Paths = list(c.Command), list(c.Paths)
	return c
}

// Masked is the answer as people are shown it: what was filled into a form, changed in the
// arguments or said may have a secret in it.
func (r Response) Masked(s *mask.Secrets) Response {
	r.Message, _ = s.Text(r.Message)
	for _, v := range []*tool.JSON{&r.Edit, &r.FormData} {
		if len(*v) > 0 {
			*v, _ = s.JSON(*v)
		}
	}
	return r
}
