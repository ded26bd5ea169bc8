package remote

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Filled is a text, or where it would be empty, which some servers refuse, one
// that says so.
func Filled(s string) string {
	if Blank(s) {
		return "(no text)"
	}
	return s
}

// Blank reports whether a text has only spaces, and what servers written in
// Python take for them.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && (r < 0x1c || r > 0x1f) })
}

// Arguments are a call's arguments as an object. Many servers read them, and
// refuse a history in which a model once wrote something else: that is a text
// in an object.
func Arguments(args jsontext.Value) jsontext.Value {
	if Blank(string(args)) {
		return jsontext.Value("{}")
	}
	if _, err := strictjson.Object(args); err == nil {
		return args
	}
	wrapped, err := json.Marshal(map[string]string{"invalid_arguments": string(args)}, Lenient())
	if err != nil {
		return jsontext.Value("{}")
	}
	return wrapped
}

// Schema is a tool's schema with what servers ask for: that it is an object's,
// and has properties. What is none becomes that of any object.
func Schema(v jsontext.Value) jsontext.Value {
	anything := jsontext.Value(`{"type":"object","properties":{}}`)
	object, err := strictjson.Object(v)
	if err != nil {
		return anything
	}
	var fields map[string]jsontext.Value
	if json.Unmarshal(object, &fields) != nil {
		return anything
	}
	if string(fields["type"]) == `"object"` && fields["properties"].Kind() == '{' {
		return object
	}
	fields["type"] = jsontext.Value(`"object"`)
	if fields["properties"].Kind() != '{' {
		fields["properties"] = jsontext.Value(`{}`)
	}
	whole, err := json.Marshal(fields, json.Deterministic(true))
	if err != nil {
		return anything
	}
	return whole
}

// Shows reports whether servers read an image; mark is what stands in its place
// where they don't.
func Shows(image tool.Image) (ok bool, mark string) {
	if len(image.Data) > 0 && slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, image.MIME) {
		return true, ""
	}
	return false, fmt.Sprintf("(an image of the type %q, which can't be shown)", image.MIME)
}

// ImagesOf introduces the images of a result that can't be in it.
func ImagesOf(callID string) string {
	return fmt.Sprintf("Images in the result of the call %s:", callID)
}
