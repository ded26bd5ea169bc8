package remote

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// OrNote is the text, or "(no text)" where it is blank. Some servers refuse empty texts.
func OrNote(s string) string {
	if Blank(s) {
		return "(no text)"
	}
	return s
}

// Result is the text of a call's result where a provider has no other way to be told
// that the call has failed.
func Result(said model.Message) string {
	if said.IsError {
		return "Error: " + OrNote(said.Text)
	}
	return OrNote(said.Text)
}

// Blank reports whether a text has nothing but spaces. Servers written in Python
// count U+001C to U+001F among them.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && (r < 0x1c || r > 0x1f) })
}

// Arguments are a call's arguments as a JSON object. Many servers refuse a
// conversation in which a model once wrote something else. That goes into an object as
// a text.
func Arguments(args tool.JSON) tool.JSON {
	if Blank(string(args)) {
		return tool.JSON("{}")
	}
	if _, err := strictjson.Object(args); err == nil {
		return args
	}
	wrapped, err := json.Marshal(map[string]string{"invalid_arguments": string(args)}, Lenient())
	if err != nil {
		return tool.JSON("{}")
	}
	return wrapped
}

// Schema is a tool's schema with what servers ask for: "type":"object" and
// "properties". What is no schema becomes one that allows any object.
func Schema(v tool.JSON) tool.JSON {
	anything := tool.JSON(`{"type":"object","properties":{}}`)
	object, err := strictjson.Object(v)
	if err != nil {
		return anything
	}
	var fields map[string]tool.JSON
	if json.Unmarshal(object, &fields) != nil {
		return anything
	}
	if string(fields["type"]) == `"object"` && strictjson.Kind(fields["properties"]) == '{' {
		return object
	}
	fields["type"] = tool.JSON(`"object"`)
	if strictjson.Kind(fields["properties"]) != '{' {
		fields["properties"] = tool.JSON(`{}`)
	}
	whole, err := json.Marshal(fields, json.Deterministic(true))
	if err != nil {
		return anything
	}
	return whole
}

// CanShow reports whether servers accept an image, except those of types that the
// provider's do not read. If not, mark is the text to send in its place.
func CanShow(image tool.Image, except ...string) (ok bool, mark string) {
	if len(image.Data) > 0 && !slices.Contains(except, image.MIME) && slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, image.MIME) {
		return true, ""
	}
	return false, fmt.Sprintf("(an image of the type %q, which can't be shown)", image.MIME)
}

// ImagesTitle is the text before images that are sent after the result they belong to.
func ImagesTitle(callID string) string {
	return fmt.Sprintf("Images in the result of the call %s:", callID)
}
