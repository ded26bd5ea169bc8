package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/tool"
)

// keyOf makes the same key each time.
func keyOf(name string) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(name, ed25519.SeedSize)[:ed25519.SeedSize]))
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey {
	return key.Public().(ed25519.PublicKey)
}

// book is a chain that is being written, as a store does it.
type book struct {
	t       testing.TB
	key     ed25519.PrivateKey
	at      time.Time
	records []audit.Record
}

func newBook(t testing.TB, key ed25519.PrivateKey) *book {
	return &book{t: t, key: key, at: time.Date(2026, 1, 31, 8, 0, 0, 123456000, time.UTC)}
}

func (b *book) head() audit.Head {
	if len(b.records) == 0 {
		return audit.Head{}
	}
	return b.records[len(b.records)-1].Head()
}

func (b *book) sealed(r audit.Record, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	b.records = append(b.records, r)
}

func (b *book) checkpoint() {
	b.t.Helper()
	b.sealed(audit.Signed(b.head(), b.at, b.key))
}

func (b *book) add(kind audit.Kind, subject, via string, data any) {
	b.t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		b.t.Fatal(err)
	}
	b.at = b.at.Add(1500 * time.Millisecond)
	if (b.head().Seq+1)%audit.Every == 0 {
		b.checkpoint()
	}
	b.sealed(audit.Record{At: b.at, Kind: kind, Subject: subject, Via: via, Data: raw}.Sealed(b.head()))
	if kind.ThenSigned() {
		b.checkpoint()
	}
}

// everything adds a record of each kind, with every field that it can have.
func (b *book) everything() {
	b.t.Helper()
	about := audit.About{
		ApprovalID: "0192-a", SessionID: "0192-s", AgentID: "demo", ToolCallID: "call_1", ToolName: "shell", ArgsDigest: "sha256:aa",
	}
	for _, kind := range audit.Kinds() {
		var data any
		switch kind {
		case audit.ApprovalRequested:
			data = audit.Requested{
				About: about, Type: "tool_confirmation", Round: 1, ToolDigest: "sha256:bb", FileHash: "sha256:cc", WorkingDirectory: "/w",
				Message: "may I — é \u2028?", Args: tool.JSON(`{"command":"ls","n":[1,2.50,{"deep":null}]}`), ArgsBytes: 7, Risk: "high",
				Rule: "ask", Trace: []string{"a", "b"}, Origin: audit.Origin{Kind: "program", Client: "c", Subject: "p", Parent: "boss"},
				RequestedAt: b.at, ExpiresAt: b.at.Add(time.Hour),
			}
		case audit.ApprovalResolved, audit.ApprovalVoided:
			data = audit.Resolved{
				About: about, Status: "approved", Reason: "user_denied", Rule: "ask", Scope: "session", GrantID: "g", Message: "fine",
				Edit: tool.JSON(`{"command":"ls -l"}`), RunsDigest: "sha256:dd", FormData: tool.JSON(`{"x":true}`), Millis: 1234,
			}
		case audit.ApprovalRevealed, audit.ApprovalExtended, audit.CallClaimed, audit.CallFinished, audit.CallRefused:
			data = audit.Call{About: about, IsError: true}
		case audit.GrantGiven, audit.GrantEnded:
			data = audit.Grant{About: about, GrantID: "g", Scope: "session", Covers: "exact", Text: "exactly this call", ExpiresAt: b.at, MaxUses: 3, Uses: 1, Reason: "revoked"}
		case audit.ModeSet:
			data = audit.Mode{AgentID: "demo", Mode: "manual", Configured: "auto-deny", Version: 2}
		case audit.HaltSet, audit.HaltLifted:
			data = audit.Halt{AgentID: "demo"}
		case audit.LoginBegun, audit.LoginChanged, audit.LoginEnded, audit.LinkCreated, audit.LinkWithdrawn,
			audit.TokenCreated, audit.TokenChanged, audit.TokenRevoked:
			data = audit.Access{AccessID: "t", Name: "ci", Owner: "ada", Roles: []string{"agent"}, Agents: []string{"demo"}, From: "f", ExpiresAt: b.at}
		case audit.PushOn, audit.PushOff:
			data = audit.Push{AccessID: "t", Service: "push.example.com"}
		case audit.GatewayStarted:
			data = audit.Started{Version: "devel", File: "/agents.yaml", Digest: "sha256:ee", Listen: "127.0.0.1:1", PID: 7}
		case audit.GatewayStopped:
			data = audit.Stopped{Millis: 99, Failed: true}
		case audit.ConfigLoaded, audit.ConfigReloaded, audit.ConfigRefused:
			data = audit.Configuration{File: "/agents.yaml", Digest: "sha256:ee", Changes: []audit.Change{{Place: "agents.demo", Before: "a", After: "b"}}}
		case audit.AuditCut:
			data = audit.CutOff{First: 1, Last: 1, Hash: strings.Repeat("0", 64), File: "audit-1-1.jsonl", Digest: "sha256:ff"}
		case audit.Checkpointed:
			b.checkpoint()
			continue
		default:
			b.t.Fatalf("nobody has thought of %s here", kind)
		}
		b.add(kind, "ada", "rest", data)
	}
}

// whole is a chain as a gateway leaves it: from before there were doors and
// signatures, over three starts, with a few records after the last checkpoint.
func whole(t testing.TB, key ed25519.PrivateKey, who string) []audit.Record {
	b := newBook(t, key)
	for i := range 4 {
		b.add("approval.requested", who, "", map[string]int{"n": i})
	}
	for range 3 {
		b.everything()
	}
	for i := range 3 {
		b.add(audit.LoginBegun, who, "rest", audit.Access{Roles: []string{fmt.Sprint("role ", i)}})
	}
	return b.records
}

// written is a chain as a file.
func written(t testing.TB, records []audit.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range records {
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
	}
	return b.Bytes()
}

func verify(file []byte, e audit.Expected) (audit.Report, error) {
	return e.Verify(audit.Lines(bytes.NewReader(file)))
}
