package agent

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// voice passes on what a model says while it says it. A provider may cut its
// text in the middle of a character: such bytes are held back until the rest
// is there, and what is no text at all is replaced, so that every delta is one.
type voice struct {
	bus                  *bus.Bus
	sessionID, messageID string
	offset               int
	held                 string
}

func (v *voice) say(d model.Delta) {
	text := v.held + d.Text
	whole := len(text)
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if b := text[len(text)-i]; utf8.RuneStart(b) {
			if !utf8.FullRuneInString(text[len(text)-i:]) {
				whole = len(text) - i
			}
			break
		}
	}
	text, v.held = strings.ToValidUTF8(text[:whole], "\uFFFD"), text[whole:]
	if text == "" {
		return
	}
	session.Deltas.Publish(v.bus, session.Delta{
		SessionID: v.sessionID, MessageID: v.messageID, Offset: v.offset, Text: text,
	})
	v.offset += session.UTF16Len(text)
}

// readable returns a call's arguments as the journal can hold them. Nothing, blanks
// and null count as an empty object. Anything else that isn't a JSON object is kept
// as text; the gate refuses it and tells the model.
func readable(args tool.JSON) (tool.JSON, error) {
	if object, err := strictjson.Object(args); err == nil {
		return object, nil
	}
	switch said := strings.TrimSpace(string(args)); {
	case said == "", said == "null", said[0] == '"' && strings.Trim(said, "\" \t") == "":
		return tool.JSON("{}"), nil
	}
	return json.Marshal(string(args), jsontext.AllowInvalidUTF8(true))
}
