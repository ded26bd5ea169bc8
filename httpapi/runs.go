package httpapi

import (
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
)

type runBody struct {
	AgentID          string `json:"agentId,omitempty"` // whose rules apply; empty means external
	Client           string `json:"client,omitempty"`  // the program's name
	Name             string `json:"name,omitempty"`    // the run's; the same name joins the same run until that ends
	WorkingDirectory string `json:"workingDirectory,omitempty"`
	Parent           string `json:"parent,omitempty"` // the name of the run that started this one
}

// beginRun begins a program's run, or returns the open one of that name. An approval for
// the session holds in the run.
func (s *Server) beginRun(c *call, in runBody) (door.Session, error) {
	for _, name := range []struct{ field, text string }{{"client", in.Client}, {"name", in.Name}, {"parent", in.Parent}} {
		if err := soundName(name.field, name.text); err != nil {
			return door.Session{}, err
		}
	}
	if len(mask.HiddenIn(in.WorkingDirectory)) > 0 {
		return door.Session{}, invalid("workingDirectory: %q has invisible characters", in.WorkingDirectory)
	}
	run, err := s.Door.External(c.r.Context(), c.who, orExternal(in.AgentID), in.Client,
		&session.Run{Name: in.Name, WorkingDirectory: in.WorkingDirectory, Parent: in.Parent})
	if err != nil {
		return door.Session{}, err
	}
	return s.Door.Session(c.r.Context(), run.ID) // with its status
}

// endRun ends a run: its pending requests are withdrawn and its grants end.
func (s *Server) endRun(c *call, _ none) (none, error) {
	return none{}, s.Door.EndRun(c.r.Context(), c.who, c.r.PathValue("id"))
}

// soundName checks a name that a program gives itself or its run.
func soundName(field, name string) error {
	switch {
	case len(name) > maxClient:
		return invalid("%s: %d bytes are more than the %d allowed", field, len(name), maxClient)
	case name != "" && !mask.IsIdentifier(name):
		return invalid("%s: %q can't be used: write ASCII letters, digits, spaces and . _ @ - : / + ( )", field, name)
	}
	return nil
}

// orExternal is the agent whose rules apply.
func orExternal(agentID string) string {
	if agentID == "" {
		return defaultAgent
	}
	return agentID
}
