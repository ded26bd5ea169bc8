package approval

// Coverage is what a grant covers. A request offers some, from narrow to wide,
// so that whoever approves sees what is remembered before it is.
type Coverage struct {
	Kind    CoverageKind `json:"kind"`
	Text    string       `json:"text"`              // in words, for people
	Command []string     `json:"command,omitempty"` // of CoverCommand: the command patterns
	Paths   []string     `json:"paths,omitempty"`   // of CoverPath: the folders; of CoverCommand: the folders that may be read, empty for any
}

// CoverageKind is how wide a coverage is. A request offers each kind once.
type CoverageKind string

// The kinds, from narrow to wide.
const (
	CoverExact   CoverageKind = "exact"   // the call as shown, by digest
	CoverCommand CoverageKind = "command" // command lines of a form
	CoverPath    CoverageKind = "path"    // files below a folder
	CoverTool    CoverageKind = "tool"    // every call of the tool
)

// UnmarshalText accepts the kinds' names and nothing else.
func (k *CoverageKind) UnmarshalText(text []byte) error {
	return readWord(k, "coverage", text, CoverExact, CoverCommand, CoverPath, CoverTool)
}

// GrantTerms say what an approval with scope session remembers; the zero value
// is the exact call for as long as the session lives.
type GrantTerms struct {
	Covers  CoverageKind `json:"covers,omitempty"`
	Seconds int64        `json:"seconds,omitzero"` // how long it holds
	Uses    int          `json:"uses,omitzero"`    // how many further calls it clears
}

// Exactly is the coverage that every tool call offers.
func Exactly() Coverage { return Coverage{Kind: CoverExact, Text: "exactly this call"} }

// WholeTool is the coverage of every call of a tool.
func WholeTool(name string) Coverage {
	return Coverage{Kind: CoverTool, Text: "every call of " + name}
}

// Suggestion is a rule that would have cleared a request, with what it would
// have done to other calls, also those that wait.
type Suggestion struct {
	Covers   Coverage `json:"covers"`
	Sentence Sentence `json:"sentence,omitempty"` // what the rule does
	Rule     string   `json:"rule"`               // as YAML, for agents.yaml
	Past     int      `json:"past"`               // how many other calls it was tried on, at most 1,000: the agent's newest of the tool
	Matched  int      `json:"matched"`            // of those: how many it would have cleared
	Denied   int      `json:"denied"`             // of the matched: how many a person denied
	Waiting  int      `json:"waiting,omitzero"`   // of the matched: how many wait for an answer
	Unknown  int      `json:"unknown,omitzero"`   // of the other calls: how many can't be told, since they name files by wildcards
}
