package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// beClient makes this process a client as the official conformance suite starts one:
// the address is its last argument. It calls every tool that there is, and accepts
// each form with its defaults.
func beClient() {
	if err := callAll(context.Background(), os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func callAll(ctx context.Context, url string) error {
	c := mcp.Config{Name: "suite", URL: url}
	if err := credentials(&c); err != nil {
		return err
	}
	s, err := mcp.New(c, mcp.Options{Ask: func(_ context.Context, q mcp.Question) (mcp.Answer, error) {
		filled, err := approval.Filled(q.Schema, tool.JSON("{}"))
		return mcp.Answer{Action: mcp.Accept, Content: filled}, err
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	tools, err := s.Tools(ctx, "one")
	if err != nil {
		return err
	}
	for i, each := range tools {
		args, err := leastArgs(each.Spec().Schema)
		if err != nil {
			return err
		}
		r, err := each.Run(ctx, call("one", fmt.Sprint("call-", i), args))
		if err != nil {
			return err
		}
		fmt.Println(each.Spec().Name, r.IsError, r.Text)
	}
	return nil
}

// credentials are what the suite gives a client, where it does. Its issuer has another
// address each time, so it is taken from the server.
func credentials(c *mcp.Config) error {
	var given struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given); err != nil || given.Secret == "" {
		return nil
	}
	resp, err := http.Get(strings.Replace(c.URL, "/mcp", "/.well-known/oauth-protected-resource/mcp", 1))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var about struct {
		Servers []string `json:"authorization_servers"`
	}
	if err := json.UnmarshalRead(resp.Body, &about); err != nil || len(about.Servers) == 0 {
		return fmt.Errorf("the server names no issuer: %w", err)
	}
	c.OAuth = &mcp.OAuth{Issuer: about.Servers[0], ClientID: given.ID, ClientSecret: given.Secret}
	return nil
}

// leastArgs are arguments that fit: a number for each number that is required.
func leastArgs(schema tool.JSON) (string, error) {
	var s struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return "", err
	}
	args := map[string]any{}
	for i, name := range s.Required {
		if args[name] = "x"; s.Properties[name].Type != "string" {
			args[name] = i + 1
		}
	}
	text, err := json.Marshal(args, json.Deterministic(true))
	return string(text), err
}
