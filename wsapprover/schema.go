package wsapprover

import (
	"reflect"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
)

// Schema names the types of what goes over the line: of the data of the server's and
// the client's frames, and of the journal's events in a sessionEvent.
func Schema() (server, client, journal map[string]reflect.Type) {
	server = map[string]reflect.Type{
		eventWelcome:              reflect.TypeFor[welcome](),
		eventSnapshot:             reflect.TypeFor[door.Snapshot](),
		approval.Requests.Name():  reflect.TypeFor[door.Request](),
		approval.Responses.Name(): reflect.TypeFor[door.Response](),
		approval.Modes.Name():     reflect.TypeFor[approval.ModeSetting](),
		approval.Halts.Name():     reflect.TypeFor[approval.Halt](),
		session.Events.Name():     reflect.TypeFor[door.Event](),
		session.Deltas.Name():     reflect.TypeFor[session.Delta](),
		session.Progresses.Name(): reflect.TypeFor[session.Progress](),
		eventPresence:             reflect.TypeFor[presence](),
		eventToolCall:             reflect.TypeFor[toolCall](),
		eventToolCancel:           reflect.TypeFor[toolCancel](),
		eventAck:                  reflect.TypeFor[ack](),
		eventError:                reflect.TypeFor[failure](),
	}
	client = map[string]reflect.Type{
		eventHello:            reflect.TypeFor[hello](),
		eventSubscribe:        reflect.TypeFor[subscribe](),
		eventUnsubscribe:      reflect.TypeFor[unsubscribe](),
		eventApprovalResponse: reflect.TypeFor[approval.Answer](),
		eventMessage:          reflect.TypeFor[message](),
		eventCancel:           reflect.TypeFor[cancel](),
		eventCancelWaiting:    reflect.TypeFor[approval.Which](),
		eventHalt:             reflect.TypeFor[halt](),
		eventViewing:          reflect.TypeFor[viewing](),
		eventToolStart:        reflect.TypeFor[toolStart](),
		eventToolResult:       reflect.TypeFor[toolResult](),
	}
	journal = map[string]reflect.Type{
		approval.EventRequested: reflect.TypeFor[door.Request](),
		approval.EventResolved:  reflect.TypeFor[door.Response](),
		approval.EventVoided:    reflect.TypeFor[door.Response](),
		approval.EventExtended:  reflect.TypeFor[approval.Extended](),
		approval.EventRevealed:  reflect.TypeFor[approval.Revealed](),
		approval.EventGranted:   reflect.TypeFor[door.Grant](),
		approval.EventGrantEnd:  reflect.TypeFor[door.Grant](),

		approval.EventBelowRequested: reflect.TypeFor[approval.BelowRequest](),
		approval.EventBelowResolved:  reflect.TypeFor[approval.BelowResponse](),
	}
	for _, body := range []session.Body{
		session.Created{}, session.Ended{}, session.TurnStarted{}, session.TurnFinished{},
		session.UserMessage{}, session.AssistantMessage{}, session.ToolResult{},
	} {
		journal[string(body.EventType())] = reflect.TypeOf(body)
	}
	return server, client, journal
}

// Codes are the codes of error frames, in alphabetical order.
func Codes() []string {
	all := []string{badFrameCode}
	for _, c := range codes {
		all = append(all, c.code)
	}
	for _, of := range door.Codes() {
		all = append(all, of...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
