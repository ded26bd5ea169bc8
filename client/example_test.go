package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/config"
	server "github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/tool"
)

// A program on the gateway's machine takes back everything that is remembered.
func Example() {
	c, err := client.Local("/srv/lineclear/data")
	if errors.Is(err, client.ErrNotRunning) {
		fmt.Println("start the gateway first")
		return
	}
	ctx := context.Background()
	grants, err := c.Grants(ctx, "", false)
	for _, g := range grants {
		_, err = c.Revoke(ctx, g.ID)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output: start the gateway first
}

// A program prints what is asked, as long as the gateway can be reached again.
func ExampleClient_Events() {
	c, err := client.Local("/srv/lineclear/data")
	if err != nil {
		fmt.Println("start the gateway first")
		return
	}
	for e, err := range c.Events(context.Background(), "", 0) {
		switch {
		case errors.Is(err, client.ErrReconnecting): // to go on is to try again
		case err != nil:
			fmt.Println(err)
		case e.Name == "approvalRequest":
			fmt.Println(string(e.Data))
		}
	}
	// Output: start the gateway first
}

// A program has each of its calls cleared, and runs what was approved.
func ExampleClient_Guard() {
	c, stop := started(`
models: {demo: {provider: scripted}}
agents:
  demo: {model: demo}
  deployer:
    kind: external
    clientTools: {deploy: {}}
    toolConfirmation: {rules: [{tool: deploy, args: {to: {equals: staging}}, effect: allow}, {tool: deploy, args: {to: {equals: moon}}, effect: deny, reason: nobody lives there}]}
`)
	defer stop()
	ctx := context.Background()
	run, err := c.BeginRun(ctx, client.RunOf{AgentID: "deployer", Client: "deploy.go", Name: "release 7"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, to := range []string{"staging", "moon"} {
		result, err := c.Guard(ctx, client.Question{
			AgentID: "deployer", SessionID: run.ID, ToolName: "deploy", Args: tool.JSON(`{"to":"` + to + `"}`), Editable: true,
		}, func(_ context.Context, args tool.JSON) (tool.Result, error) {
			return tool.Result{Text: "deployed " + string(args)}, nil // the arguments that were approved
		})
		switch {
		case errors.Is(err, client.ErrUnanswered):
			fmt.Println("nobody answered")
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(result.Text)
		}
	}
	// Output:
	// deployed {"to":"staging"}
	// Denied by the policy: agents.deployer.toolConfirmation.rules[1]: nobody lives there. Nobody was asked. Do not repeat the call unchanged.
}

// started is a gateway for an example, and its client.
func started(yaml string) (c *client.Client, stop func()) {
	dir, err := os.MkdirTemp("", "")
	check(err)
	file := filepath.Join(dir, "agents", "agents.yaml")
	check(os.Mkdir(filepath.Dir(file), 0o700))
	check(os.WriteFile(file, []byte(yaml), 0o600))
	settings, err := config.Load(file)
	check(err)
	settings.Gateway.Data, settings.Gateway.AuditKey = filepath.Join(dir, "data"), filepath.Join(dir, "keys", "audit.pem")
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	g, err := server.New(context.Background(), server.Config{Settings: settings, Mounted: web.URL})
	check(err)
	mux.Handle("/", g.Handler())
	ctx, end := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- g.Run(ctx) }()
	for c, err = client.Local(settings.Gateway.Data); errors.Is(err, client.ErrNotRunning); c, err = client.Local(settings.Gateway.Data) {
	}
	check(err)
	return c, func() {
		end()
		check(<-over)
		web.Close()
		check(os.RemoveAll(dir))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
