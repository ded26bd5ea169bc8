package main

import (
	"strings"
	"sync"
	"time"
)

// logBuffer is a log that can be waited for.
type logBuffer struct {
	mu    sync.Mutex
	grown *sync.Cond
	text  strings.Builder
	ended bool // nothing more comes
}

func newLogBuffer() *logBuffer {
	b := &logBuffer{}
	b.grown = sync.NewCond(&b.mu)
	return b
}

// Write implements io.Writer.
func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.grown.Broadcast()
	return b.text.Write(p)
}

// String is all that was written.
func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// await reports whether the text came within a test's patience.
func (b *logBuffer) await(text string) bool { return b.awaitTimes(text, 1) }

// awaitTimes is await for a text that comes more than once.
func (b *logBuffer) awaitTimes(text string, times int) bool {
	over := false
	timer := time.AfterFunc(patience, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		over = true
		b.grown.Broadcast()
	})
	defer timer.Stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for !over && strings.Count(b.text.String(), text) < times {
		b.grown.Wait()
	}
	return !over
}
