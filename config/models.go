package config

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/anthropic"
	"github.com/lineclear/lineclear/model/google"
	"github.com/lineclear/lineclear/model/openai"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/model/scripted"
	"github.com/lineclear/lineclear/tool"
)

// scriptedProvider is the one that is not behind HTTP.
const scriptedProvider provider = "scripted"

// remoteProviders are those behind HTTP.
var remoteProviders = []struct {
	name provider
	make func(remote.Options) (model.Model, error)
}{
	{"openai", maker(openai.New)},
	{"anthropic", maker(anthropic.New)},
	{"google", maker(google.New)},
}

// maker is a provider's New, whose model may be any.
func maker[M model.Model](newModel func(remote.Options) (M, error)) func(remote.Options) (model.Model, error) {
	return func(o remote.Options) (model.Model, error) {
		m, err := newModel(o)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

// providerNames are the words that a file may have.
func providerNames() []any {
	names := []any{string(scriptedProvider)}
	for _, p := range remoteProviders {
		names = append(names, string(p.name))
	}
	return names
}

// Model is a model of the file, which several agents may have.
type Model struct {
	Name     string // in the file
	Provider string
	Model    model.Model
	Prices   agent.Prices
}

// models makes those that can be made; one with a fault is there without its
// Model, so that agents that name it are not blamed as well.
func (r resolver) models(files map[string]modelFile) map[string]Model {
	models := map[string]Model{}
	for _, name := range r.doc.keys["models"] {
		m := Model{Name: name}
		if f, ok := files[name]; ok && f.Provider != "" && !r.spoiltWithin([]string{"models", name}) {
			m.Provider = string(f.Provider)
			m.Prices = agent.Prices{Input: f.Prices.Input, Cached: cmp.Or(f.Prices.Cached, f.Prices.Input), Output: f.Prices.Output}
			m.Model = r.made(f, []string{"models", name})
		}
		models[name] = m
	}
	return models
}

// made is a model, or nil where the file is to blame.
func (r resolver) made(f modelFile, at []string) model.Model {
	place := func(name string) []string { return append(slices.Clone(at), name) }
	if f.Provider == scriptedProvider {
		if !r.onlyFor(f.Provider, at, "script", "delay", "prices") {
			return nil
		}
		var delay time.Duration
		if d, err := time.ParseDuration(string(f.Delay)); err != nil || d != 0 { // here no time at all is fine
			delay = r.duration(f.Delay, 0, place("delay"))
		}
		if script, ok := r.script(f.Script, place("script")); ok {
			return scripted.New(script, scripted.Options{Delay: delay})
		}
		return nil
	}
	if !r.onlyFor(f.Provider, at, "name", "baseURL", "key", "keyFile", "headers", "parameters", "maxTokens", "retries", "timeout", "prices") {
		return nil
	}
	key, ok := r.key(f, at)
	if !ok {
		return nil
	}
	parameters, err := json.Marshal(f.Parameters, json.Deterministic(true))
	if err != nil {
		r.fault(place("parameters"), "%v", err)
		return nil
	}
	if f.Parameters == nil {
		parameters = nil
	}
	retries := 3
	if f.Retries != nil {
		if retries = int(*f.Retries); retries == 0 {
			retries = -1 // none
		}
	}
	timeout := r.duration(f.Timeout, 0, place("timeout"))
	if key == "" && f.BaseURL == "" {
		return keyless{provider: string(f.Provider), at: words(at)}
	}
	options := remote.Options{
		Model: f.Name, BaseURL: f.BaseURL, Key: key, Headers: f.Headers, Parameters: tool.JSON(parameters),
		MaxTokens: int(f.MaxTokens), Retries: retries, Timeout: timeout,
	}
	for _, p := range remoteProviders {
		if p.name != f.Provider {
			continue
		}
		made, err := p.make(options)
		if err == nil {
			return made
		}
		r.fault(at, "%s", strings.TrimPrefix(err.Error(), string(f.Provider)+": "))
	}
	return nil
}

// onlyFor finds fault with keys that mean nothing for the provider.
func (r resolver) onlyFor(p provider, at []string, known ...string) bool {
	sound := true
	for _, name := range r.doc.keys[id(at)] {
		if name != "provider" && !slices.Contains(known, name) {
			r.fault(append(slices.Clone(at), name), "is not for the provider %s: leave it out (there are: %s)", p, strings.Join(known, ", "))
			sound = false
		}
	}
	if p != scriptedProvider && !slices.Contains(r.doc.keys[id(at)], "name") {
		r.fault(at, "name is missing: the model's name as the provider knows it")
		sound = false
	}
	return sound
}

// maxKey bounds the file of a key, in bytes.
const maxKey = 64 << 10

// key is the key as it stands in the file, or in a file of its own.
func (r resolver) key(f modelFile, at []string) (key string, ok bool) {
	place := append(slices.Clone(at), "keyFile")
	switch {
	case f.KeyFile == "":
		return f.Key, true
	case f.Key != "":
		r.fault(place, "a key is given as well: leave one of them out")
		return "", false
	}
	info, err := os.Stat(r.path(f.KeyFile))
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxKey) {
		r.fault(place, "%s is no file of a key", r.doc.given(place))
		return "", false
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(r.path(f.KeyFile))
	}
	if err != nil {
		r.fault(place, "%s can't be read: %s; paths start at the folder of this file", r.doc.given(place), reason(err))
		return "", false
	}
	key = strings.TrimSpace(string(data))
	if key == "" {
		r.fault(place, "%s is empty: put the key into it, or leave keyFile out", r.doc.given(place))
	}
	return key, key != ""
}

// keyless stands for a model of a provider that needs a key, and has none yet,
// so that a file can have it ready.
type keyless struct{ provider, at string }

// Generate implements model.Model.
func (k keyless) Generate(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
	return model.Reply{}, k.failure()
}

// Check implements model.Checker.
func (k keyless) Check(context.Context) (string, error) { return "", k.failure() }

func (k keyless) failure() error {
	return &model.Error{Kind: model.Denied, Provider: k.provider, Detail: "there is no key: give one under " + k.at}
}
