package anthropic_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/anthropic"
	"github.com/lineclear/lineclear/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheContractOfModels(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Name: "anthropic", Wire: modeltest.Messages, New: func(t testing.TB, o modeltest.Options) model.Model {
		return newModel(t, o)
	}})
}

func newModel(t testing.TB, o modeltest.Options) *anthropic.Model {
	t.Helper()
	m, err := anthropic.New(anthropic.Options{
		Model: "test-1", BaseURL: o.BaseURL, Key: o.Key, Headers: o.Headers, Parameters: o.Parameters,
		MaxTokens: o.MaxTokens, Retries: o.Retries, Timeout: o.Timeout, HTTPClient: o.HTTPClient,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
