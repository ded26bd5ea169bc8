package cli

import (
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/lineclear/lineclear/internal/mask"
)

// Of each message the first are logged in a second, then one in a hundred: a
// flood of refusals is seen, and fills no disk.
const (
	logFirst      = 20
	logThereafter = 100
)

// The forms of a log.
const (
	textLog = "text"
	jsonLog = "json"
)

// logFlags say how the log is written.
type logFlags struct{ format, level string }

func (f logFlags) logger(w io.Writer) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(f.level)
	if err != nil || level > zapcore.ErrorLevel {
		return nil, fmt.Errorf("log-level: %q is none: use debug, info, warn or error", f.level)
	}
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.ISO8601TimeEncoder
	var encoder zapcore.Encoder
	switch f.format {
	case textLog:
		encoder = zapcore.NewConsoleEncoder(config)
	case jsonLog:
		config.TimeKey = "time"
		config.EncodeTime = zapcore.RFC3339NanoTimeEncoder
		config.EncodeDuration = zapcore.SecondsDurationEncoder
		encoder = zapcore.NewJSONEncoder(config)
		w = mask.NewJSONWriter(w)
	default:
		return nil, fmt.Errorf("log-format: %q is none: use text or json", f.format)
	}
	core := zapcore.NewCore(encoder, zapcore.AddSync(w), level)
	return zap.New(zapcore.NewSamplerWithOptions(core, time.Second, logFirst, logThereafter)), nil
}
