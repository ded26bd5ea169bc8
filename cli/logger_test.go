package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"
)

func TestAFloodOfOneMessageIsLoggedInPart(t *testing.T) {
	t.Parallel()
	for _, format := range []string{textLog, jsonLog} {
		var out bytes.Buffer
		log, err := logFlags{format: format, level: "info"}.logger(&out)
		if err != nil {
			t.Fatal(err)
		}
		const flood = 20_000
		for i := range flood {
			log.Warn("a request from outside was refused", zap.Int("n", i))
		}
		log.Info("something else")
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		// However many seconds it took, most is left out, and the first is there.
		if len(lines) < logFirst+1 || len(lines) > flood/2 || !strings.Contains(lines[0], "refused") {
			t.Errorf("%s: %d lines of %d", format, len(lines), flood)
		}
		if !strings.Contains(lines[len(lines)-1], "something else") {
			t.Errorf("%s: another message is not there: %s", format, lines[len(lines)-1])
		}
	}
}

func TestTheLogHasTheFormAndTheLevelThatWereAskedFor(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := logFlags{format: jsonLog, level: "warn"}.logger(&out)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("not this")
	log.Warn("but this", zap.String("requestId", "a-1"))
	var line struct {
		Level     string `json:"level"`
		Time      string `json:"time"`
		Message   string `json:"msg"`
		RequestID string `json:"requestId"`
	}
	if err := json.Unmarshal(out.Bytes(), &line, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	if line.Level != "warn" || line.Message != "but this" || line.RequestID != "a-1" || !strings.Contains(line.Time, "T") {
		t.Errorf("the line is %+v", line)
	}
	for _, f := range []logFlags{{"xml", "info"}, {"text", "loud"}, {"json", "fatal"}, {}} {
		if _, err := f.logger(&out); err == nil || !strings.Contains(err.Error(), "use ") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
