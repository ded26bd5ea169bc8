package httpapi

import (
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Frames are the types of what goes over a WebSocket, by the names of the events: the data
// of the server's and the client's frames, and of the journal's events in a sessionEvent.
type Frames struct {
	Server, Client, Journal map[string]reflect.Type

	Protocol string   // the subprotocol
	Failures []string // the codes of the server's error frames
}

func typesOf(named map[string]reflect.Type) []reflect.Type {
	var types []reflect.Type
	for _, name := range slices.Sorted(maps.Keys(named)) {
		types = append(types, named[name])
	}
	return types
}

// Schemas are those of all bodies and frames, by their names, and what gives the schema of
// a frame's data.
func (s *Server) Schemas() (all map[string]*huma.Schema, told, taken func(reflect.Type) *huma.Schema) {
	words := s.dictionary()
	for _, r := range s.Routes() {
		if !r.Hidden {
			r.operation(words)
			words.bodies(r)
		}
	}
	s.nameFrames(words)
	return words.Map(), words.told, words.takes
}

// nameFrames adds the types of the frames.
func (s *Server) nameFrames(words *dictionary) {
	for _, t := range append(typesOf(s.Frames.Server), typesOf(s.Frames.Journal)...) {
		words.told(t)
	}
	for _, t := range typesOf(s.Frames.Client) {
		words.takes(t)
	}
	words.finish()
	if failure := s.Frames.Server["error"]; failure != nil {
		code := words.SchemaFromRef(words.told(failure).Ref).Properties["code"]
		code.Enum = nil
		for _, c := range s.Frames.Failures {
			code.Enum = append(code.Enum, c)
		}
	}
}

type object = map[string]any

func ref(to string) object { return object{"$ref": to} }

// AsyncAPI describes the WebSocket (AsyncAPI 3.0), from the types of its frames.
func (s *Server) AsyncAPI() ([]byte, error) {
	words := s.dictionary()
	words.takes(reflect.TypeFor[answerBody]())
	s.nameFrames(words)
	for _, schema := range words.Map() {
		for _, property := range schema.Properties {
			if property.Ref != "" {
				property.Description = "" // AsyncAPI has nothing beside a reference
			}
		}
	}
	messages, inChannel := object{}, object{}
	list := func(from string, frames map[string]reflect.Type, data func(string, reflect.Type) any) []object {
		var all []object
		for _, event := range slices.Sorted(maps.Keys(frames)) {
			name := from + "." + event
			messages[name] = object{"name": event, "contentType": jsonType, "payload": frameOf(event, data(event, frames[event]), from == "client")}
			inChannel[name] = ref("#/components/messages/" + name)
			all = append(all, ref("#/channels/socket/messages/"+name))
		}
		return all
	}
	told := list("server", s.Frames.Server, func(event string, t reflect.Type) any {
		if event == "sessionEvent" {
			return s.journal(words, t)
		}
		return words.told(t)
	})
	taken := list("client", s.Frames.Client, func(event string, t reflect.Type) any {
		if event == "approvalResponse" { // the same as a body, in other words as well, and it names the request
			return object{"allOf": []any{words.takes(reflect.TypeFor[answerBody]())}, "required": []string{"approvalId"}}
		}
		return words.takes(t)
	})
	return marshal(object{
		"asyncapi": "3.0.0",
		"info": object{
			"title": apiTitle + ": the WebSocket", "version": "1", "license": object{"name": licence, "url": "https://www.apache.org/licenses/LICENSE-2.0"},
			"description": apiWords + "Frames are text, one JSON object each. The id of a client's frame comes back in the ack or error that answers it.",
		},
		"defaultContentType": jsonType,
		"servers": object{"gateway": object{
			"host": "127.0.0.1:8787", "protocol": "ws", "security": []object{ref("#/components/securitySchemes/ticket")}, "description": "The gateway as it listens when its file says nothing else; wss over TLS.",
		}},
		"channels": object{"socket": object{
			"address": "/ws", "messages": inChannel, "servers": []object{ref("#/servers/gateway")},
			"description": "Offer two subprotocols: " + s.Frames.Protocol + ", which alone is echoed, and ticket. with a fresh ticket of POST /api/ws-ticket behind it.",
			"bindings": object{"ws": object{"bindingVersion": "0.1.0", "headers": object{
				"type": "object", "required": []string{"Sec-WebSocket-Protocol"},
				"properties": object{"Sec-WebSocket-Protocol": object{"type": "string", "pattern": `^` + regexp.QuoteMeta(s.Frames.Protocol) + `, ticket\..+$`}},
			}}},
		}},
		"operations": object{
			"tell": object{"action": "send", "channel": ref("#/channels/socket"), "messages": told, "summary": "What the gateway tells."},
			"hear": object{"action": "receive", "channel": ref("#/channels/socket"), "messages": taken, "summary": "What a client says."},
		},
		"components": object{"messages": messages, "schemas": words.Map(), "securitySchemes": object{"ticket": object{
			"type": "httpApiKey", "in": "header", "name": "Sec-WebSocket-Protocol", "description": "A ticket opens one WebSocket within 30 s.",
		}}},
	})
}

// frameOf is the schema of a frame. A client's is read strictly.
func frameOf(event string, data any, strict bool) object {
	frame := object{
		"type": "object", "required": []string{"event", "data"},
		"properties": object{
			"event": object{"const": event}, "data": data,
			"id": object{"type": "string", "description": "The client's own, of the frame that is answered."},
		},
	}
	if event == "ack" {
		frame["required"] = []string{"event"}
	}
	if strict {
		frame["additionalProperties"] = false
	}
	return frame
}

// journal is the schema of a journal's event: its data follows from its type.
func (s *Server) journal(words *dictionary, event reflect.Type) object {
	all := []any{words.told(event)}
	for _, name := range slices.Sorted(maps.Keys(s.Frames.Journal)) {
		all = append(all, object{
			"if":   object{"properties": object{"type": object{"const": name}}},
			"then": object{"properties": object{"data": words.told(s.Frames.Journal[name])}},
		})
	}
	return object{"allOf": all}
}

func marshal(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), jsontext.EscapeForHTML(false))
}

func (s *Server) describeFrames(c *call) error {
	if s.Frames.Server == nil {
		return &fault{http.StatusNotFound, "this gateway has no description of its WebSocket"}
	}
	return c.made(s.asyncAPI, jsonType)
}
