//go:build soak

package main

import (
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// samples is how many decisions each figure is made of.
const samples = 200

// usual takes the limits of the tests away, so that those hold which people have.
var usual = regexp.MustCompile(`, limits: \{requests[^}]*\}`)

// besieged is a gateway with somebody who decides, somebody who asks, and the tokens of
// those who flood it, all from one address.
type besieged struct {
	*process
	asks, decides visitor
	flooder       string // what a flood's program is given
}

// Somebody's decisions are told as fast as ever, or a few times slower, whoever floods the
// gateway meanwhile from the same address. The flood is another program, which gets what
// the others leave of this machine: in earnest it has one of its own.
func TestDecisionsStayFastUnderEachFlood(t *testing.T) {
	b := &besieged{process: launchWith(t, "gateway", t.TempDir(), usual.ReplaceAllString(agents, ""))}
	token := func(name, role string) string {
		return strings.TrimSpace(b.verb("tokens", "create", name, "--role", role).want(t, 0).out)
	}
	b.asks, b.decides = visitor{b.url, token("asks", "agent")}, visitor{b.url, token("decides", "approver")}
	flooder := flood{url: b.url, viewer: token("viewer", "viewer"), agent: token("flooder", "agent")}
	b.p99() // warm
	for _, name := range slices.Sorted(maps.Keys(flooder.kinds())) {
		t.Run(name, func(t *testing.T) {
			alone := b.p99()
			stop := flooder.start(t, name)
			time.Sleep(8 * time.Second) // the wave with which it begins passes
			loaded := b.p99()
			stop()
			t.Logf("p99 of a decision %6.1f ms, alone %6.1f ms: %.1f×", ms(loaded), ms(alone), float64(loaded)/float64(alone))
			if loaded > 3*alone {
				t.Error("more than three times as slow")
			}
		})
	}
}

// start runs a flood in a program of its own.
func (f flood) start(t *testing.T, name string) (stop func()) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "nice", "-n", "19", "flood", name, f.url, f.viewer, f.agent)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// p99 is how long a decision takes at the worst but one in a hundred.
func (b *besieged) p99() time.Duration {
	b.t.Helper()
	var took []time.Duration
	for range samples {
		status, body := b.asks.sends(http.MethodPost, "/api/approvals", `{"toolName":"deploy","args":{}}`)
		var row struct {
			ApprovalID string `json:"approvalId"`
		}
		if err := json.Unmarshal(body, &row); err != nil || status != http.StatusCreated {
			b.t.Fatalf("an ask: %d %s %v", status, body, err)
		}
		began := time.Now()
		if status, body := b.decides.sends(http.MethodPost, "/api/approvals/"+row.ApprovalID, `{"status":"denied"}`); status != http.StatusOK {
			b.t.Fatalf("a decision: %d %s", status, body)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}
