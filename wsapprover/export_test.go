package wsapprover

import (
	"time"

	"github.com/lineclear/lineclear/approval"
)

// For the tests of the wire's exact form.
var (
	EncodeFrame = encodeFrame
	DecodeFrame = decodeFrame
)

type (
	Frame      = frame
	Welcome    = welcome
	Presence   = presence
	ToolCall   = toolCall
	ToolCancel = toolCancel
	Ack        = ack
	Failure    = failure
)

// GlancesLeft is how often tabs of a login may tell now what they show, before they wait.
func GlancesLeft(h *Hub, root string) float64 { return h.glances.Of(root).Tokens() }

// SayViewing says again what the tabs of a hub show, as it does by itself, and forgets what is too old.
func SayViewing(h *Hub, now time.Time) { h.sayViewing(now) }

// ViewedFor is how long it holds what another gateway says.
const ViewedFor = viewedFor

// DecodeData reads a client's frame whole, as handle does.
func DecodeData(f Frame) error {
	var err error
	switch f.Event {
	case eventHello:
		_, err = decoded[hello](f)
	case eventSubscribe:
		_, err = decoded[subscribe](f)
	case eventUnsubscribe:
		_, err = decoded[unsubscribe](f)
	case eventApprovalResponse:
		_, err = decoded[approval.WordedAnswer](f)
	case eventMessage:
		_, err = decoded[message](f)
	case eventCancel:
		_, err = decoded[cancel](f)
	case eventCancelWaiting:
		_, err = decoded[approval.Which](f)
	case eventHalt:
		_, err = decoded[halt](f)
	case eventViewing:
		_, err = decoded[viewing](f)
	case eventToolStart:
		_, err = decoded[toolStart](f)
	case eventToolResult:
		_, err = decoded[toolResult](f)
	default:
		err = errUnknownEvent
	}
	return err
}
