package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/lineclear/lineclear/model"
)

// Broken is the failure of an answer that ended too early or can't be read.
func Broken(detail string, err error) error {
	return &model.Error{Kind: model.Broken, Detail: detail, Err: err}
}

// read reads an answer into a: a stream of events, or one JSON body from a server
// that does not stream.
func read(from io.Reader, a Answer) error {
	body := bufio.NewReader(from)
	if startsObject(body) {
		raw, err := io.ReadAll(body)
		if err != nil {
			return Broken("the answer broke off", err)
		}
		return a.Whole(raw)
	}
	var why error
	for data, err := range events(body) {
		if why = err; err != nil {
			break
		}
		if data = bytes.TrimSpace(data); len(data) == 0 {
			continue
		}
		last, err := a.Event(data)
		if err != nil {
			return err
		}
		if last {
			break
		}
	}
	switch {
	case a.Progress().Complete:
		return nil
	case errors.Is(why, errTooLarge):
		return Broken(errTooLarge.Error(), errTooLarge)
	}
	return Broken("no word why it ended", why)
}

// startsObject reports whether the body begins as a JSON object, which no stream of
// events does.
func startsObject(r *bufio.Reader) bool {
	for {
		c, err := r.Peek(1)
		if err != nil || !strings.ContainsRune(" \t\r\n", rune(c[0])) {
			return err == nil && c[0] == '{'
		}
		_, _ = r.Discard(1)
	}
}
