package door

import (
	"time"

	"github.com/lineclear/lineclear/tool"
)

// DefaultClientTimeout is how long a client has for a call when nothing else is
// said.
const DefaultClientTimeout = 30 * time.Second

// ClientTool describes a tool that runs in a client.
type ClientTool struct {
	Spec    tool.Spec
	Output  tool.JSON     // JSON Schema of its results; empty: anything
	Timeout time.Duration // zero: DefaultClientTimeout
}
