package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
)

const agents = `
gateway: {localKey: answers}
models: {demo: {provider: scripted}}
agents: {demo: {model: demo}}
`

// A program that has a server of its own serves the gateway beside its own pages.
func Example() {
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "agents", "agents.yaml")
	check(os.Mkdir(filepath.Dir(file), 0o700))
	check(os.WriteFile(file, []byte(agents), 0o600))
	settings, err := config.Load(file)
	check(err)
	settings.Gateway.Data, settings.Gateway.AuditKey = filepath.Join(dir, "data"), filepath.Join(dir, "keys", "audit.pem")

	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, stop := context.WithCancel(context.Background())
	g, err := gateway.New(ctx, gateway.Config{Settings: settings, Mounted: server.URL})
	check(err)
	mux.Handle("/", g.Handler())
	over := make(chan error, 1)
	go func() { over <- g.Run(ctx) }()

	answer, err := http.Get(server.URL + "/api/agents")
	check(err)
	body, err := io.ReadAll(answer.Body)
	check(errors.Join(err, answer.Body.Close()))
	fmt.Println(answer.StatusCode, len(body) > 0)
	stop()
	check(<-over)
	// Output: 401 true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
