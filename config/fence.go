package config

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/tool"
)

// fenceFile is the sandbox of a rule.
type fenceFile tool.Fence

// readOnly is the short form of a sandbox that reads workdir and writes nothing.
const readOnly = "read-only"

// UnmarshalJSONFrom reads the short form or the whole one; the schema has been checked.
func (f *fenceFile) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, (*tool.Fence)(f))
}
