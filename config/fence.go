package config

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/tool"
)

// fenceFile is a rule's sandbox as written in the file.
type fenceFile tool.Fence

// readOnly is short for a sandbox that can read workdir and write nothing.
const readOnly = "read-only"

// UnmarshalJSONFrom reads the short form or an object. The schema was checked before.
func (f *fenceFile) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, (*tool.Fence)(f))
}
