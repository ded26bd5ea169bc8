package gateway

import (
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/wsapprover"
)

// frames describes what goes over a WebSocket.
func frames() httpapi.Frames {
	server, client, journal := wsapprover.Schema()
	return httpapi.Frames{Server: server, Client: client, Journal: journal, Protocol: wsapprover.Protocol, Failures: wsapprover.Codes()}
}
