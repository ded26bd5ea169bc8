package openai_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/modeltest"
	"github.com/lineclear/lineclear/model/openai"
	"github.com/lineclear/lineclear/model/remote"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheContractOfModels(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Name: "openai", Wire: modeltest.ChatCompletions, New: func(o remote.Options) (model.Model, error) { return openai.New(o) }})
}
