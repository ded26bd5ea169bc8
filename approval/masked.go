package approval

import (
	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/mask"
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
	made := r.Knowing(s)
	list := func(lines []string) []string {
		masked := make([]string, len(lines))
		for i, line := range lines {
			var hit bool
			masked[i], hit = made.Text(line)
			found = found || hit
		}
		return masked
	}
	if len(r.Args) > 0 {
		r.Args, found = s.JSON(r.Args)
	}
	r.Message, r.Preview.Diff, r.Policy.Rule, r.WorkingDirectory = text(r.Message), text(r.Preview.Diff), text(r.Policy.Rule), text(r.WorkingDirectory)
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
	if len(r.Misleading) > 0 {
		r.Misleading = list(r.Misleading)
	}
	if len(r.Risk.Reasons) > 0 {
		r.Risk.Reasons = list(r.Risk.Reasons)
	}
	if len(r.Commands) > 0 {
		commands := make([]Command, len(r.Commands))
		for i, c := range r.Commands {
			c.Text, c.Does = text(c.Text), list(c.Does)
			commands[i] = c
		}
		r.Commands = commands
	}
	if len(r.Covers) > 0 {
		covers := make([]Coverage, len(r.Covers))
		for i, c := range r.Covers {
			covers[i] = c.Masked(s)
		}
		r.Covers = covers
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
	r.HasSecrets = found
	return r
}

// Knowing is what masks texts that were made of the request, such as a reason: it knows the
// secrets of what its asker has said.
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

// Masked is the answer as people are shown it: what was filled into a form or
// changed in the arguments may be a secret. Words are left as they were said.
func (r Response) Masked(s *mask.Secrets) Response {
	for _, v := range []*tool.JSON{&r.Edit, &r.FormData} {
		if len(*v) > 0 {
			*v, _ = s.JSON(*v)
		}
	}
	return r
}
