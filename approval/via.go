package approval

// Via is the door through which an answer came, or who gave it where no person did.
type Via string

// The doors, and those who answer without one.
const (
	ViaWebSocket     Via = "websocket"
	ViaREST          Via = "rest"
	ViaChat          Via = "chat"
	ViaToolMessage   Via = "tool_message"
	ViaHandler       Via = "handler" // a program's own function
	ViaPolicy        Via = "policy"
	ViaGrant         Via = "grant" // by a person, before
	ViaSystem        Via = "system"
	ViaConfiguration Via = "configuration"
)

// Vias are all that an answer to a request can have come through.
var Vias = []Via{ViaWebSocket, ViaREST, ViaChat, ViaToolMessage, ViaHandler, ViaPolicy, ViaGrant, ViaSystem}
