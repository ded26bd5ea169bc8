package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

var (
	errMasked = errors.New("a change can't contain " + mask.Mark + ", which stands for a secret that you were not shown")
	errNull   = errors.New("a change can't set null, or lists and numbers that have no exact form")
)

// edit lets the person change the arguments, and shows how they then are. It
// returns the merge patch on the request's arguments, before if nothing can be
// made of what the person did.
func (p *Prompt) edit(ctx context.Context, r approval.Request, before tool.JSON) (tool.JSON, error) {
	patch, err := p.change(ctx, r, before)
	if err != nil && (ctx.Err() != nil || errors.Is(err, errInputEnded) || errors.Is(err, ErrClosed)) {
		return nil, err
	}
	var args tool.JSON
	if err == nil {
		args, err = approval.MergePatch(r.Args, patch)
	}
	if err != nil {
		p.say("Nothing was changed: " + mask.Hidden(err.Error()) + ".")
		return before, nil
	}
	if string(patch) == "{}" {
		p.say("The arguments are as they were asked for.")
		return nil, nil
	}
	page := p.page()
	page.document("arguments, changed", args)
	page.warnings(approval.Misleading(approval.Request{Args: args}))
	p.print(page)
	return patch, nil
}

// change gets a patch from an editor, or from a line.
func (p *Prompt) change(ctx context.Context, r approval.Request, before tool.JSON) (tool.JSON, error) {
	file, _ := p.reader.in.(*os.File)
	if command := strings.Fields(p.o.Editor); len(command) > 0 && Interactive(file) {
		return p.inEditor(ctx, command, file, r, before)
	}
	text, err := p.line(ctx, `Change what? One line of JSON, such as {"name": "new value"}; null removes >`)
	if err != nil {
		return nil, err
	}
	return checkedPatch([]byte(text))
}

// checkedPatch takes a merge patch as a person wrote it.
func checkedPatch(text []byte) (tool.JSON, error) {
	if mask.Contains(string(text)) {
		return nil, errMasked
	}
	patch, err := strictjson.Object(text)
	if err != nil {
		return nil, err
	}
	if _, err := strictjson.Canonicalize(patch); err != nil {
		return nil, err
	}
	return patch, nil
}

// inEditor opens an editor on the arguments. Secrets are masked in the file:
// what stays masked is not part of the patch, so the real ones run.
func (p *Prompt) inEditor(ctx context.Context, command []string, terminal *os.File, r approval.Request, before tool.JSON) (tool.JSON, error) {
	shown, _ := p.o.Secrets.JSON(r.Args)
	start := shown
	if len(before) > 0 {
		var err error
		if start, err = approval.MergePatch(shown, before); err != nil {
			return nil, err
		}
	}
	text := jsontext.Value(start).Clone()
	if err := text.Indent(); err != nil {
		return nil, err
	}
	edited, err := runEditor(ctx, command, terminal, text)
	if err != nil {
		return nil, err
	}
	now, err := strictjson.Object(edited)
	if err != nil {
		return nil, err
	}
	patch, err := diff(shown, now)
	if err != nil {
		return nil, err
	}
	return checkedPatch(patch)
}

// runEditor returns what an editor makes of a text. The file can be read by
// this user only, and is gone afterwards.
func runEditor(ctx context.Context, command []string, terminal *os.File, text []byte) (edited []byte, err error) {
	file, err := os.CreateTemp("", "lineclear-*.json") // mode 0600
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.Write(append(bytes.TrimSpace(text), '\n'))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	editor := exec.CommandContext(ctx, command[0], append(command[1:], file.Name())...)
	editor.Stdin, editor.Stdout, editor.Stderr = terminal, terminal, terminal
	if err := editor.Run(); err != nil {
		return nil, fmt.Errorf("the editor failed: %w", err)
	}
	return os.ReadFile(file.Name())
}

// diff is the merge patch (RFC 7396) that makes to of from. That some changes
// have none, since null means removal in it, is an error.
func diff(from, to tool.JSON) (tool.JSON, error) {
	patch, err := difference(from, to)
	if err != nil {
		return nil, err
	}
	made, err := approval.MergePatch(from, patch)
	if err != nil {
		return nil, err
	}
	if same, err := equal(made, to); err != nil || !same {
		return nil, errors.Join(errNull, err)
	}
	return patch, nil
}

func difference(from, to tool.JSON) (tool.JSON, error) {
	var old, now map[string]tool.JSON
	if err := errors.Join(json.Unmarshal(from, &old), json.Unmarshal(to, &now)); err != nil {
		return nil, err
	}
	changes := map[string]tool.JSON{}
	for name := range old {
		if _, stays := now[name]; !stays {
			changes[name] = tool.JSON("null")
		}
	}
	for name, value := range now {
		was, there := old[name]
		same, err := there && true, error(nil)
		if there {
			same, err = equal(was, value)
		}
		switch {
		case err != nil:
			return nil, err
		case same:
		case there && strictjson.Kind(was) == '{' && strictjson.Kind(value) == '{':
			if changes[name], err = difference(was, value); err != nil {
				return nil, err
			}
		default:
			changes[name] = value
		}
	}
	return json.Marshal(changes, json.Deterministic(true))
}

// equal compares values; the order of names and the notation don't count.
func equal(a, b tool.JSON) (bool, error) {
	left, err := strictjson.Canonicalize(a)
	if err != nil {
		return false, err
	}
	right, err := strictjson.Canonicalize(b)
	return left == right, err
}
