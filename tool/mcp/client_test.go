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
	"github.com/lineclear/lineclear/tool/mcp/transport"
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
	logins, err := os.MkdirTemp("", "logins-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(logins)
	s, err := mcp.New(c, mcp.Options{Logins: mcp.LoginFiles(logins), Ask: func(_ context.Context, q mcp.Question) (mcp.Answer, error) {
		filled, err := approval.Filled(q.Schema, tool.JSON("{}"))
		return mcp.Answer{Action: mcp.Accept, Content: filled}, err
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	if c.OAuth != nil && c.OAuth.Login {
		if err := s.Login(ctx, 0, consent); err != nil {
			return err
		}
	}
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
		if strings.Contains(r.Text, transport.ErrNoConsent.Error()) {
			if err := s.Login(ctx, 0, consent); err != nil {
				return err
			}
			r, err = each.Run(ctx, call("one", fmt.Sprint("again-", i), args))
		}
		if err != nil {
			return err
		}
		fmt.Println(each.Spec().Name, r.IsError, r.Text)
	}
	return nil
}

// credentials are what the suite gives a client, where it does; where it wants a login, it
// is somebody who says yes. Its issuer has another address each time, so it is taken from
// the server.
func credentials(c *mcp.Config) error {
	if !strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/") {
		return nil
	}
	var given struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if raw := os.Getenv("MCP_CONFORMANCE_CONTEXT"); raw != "" {
		if err := json.Unmarshal([]byte(raw), &given); err != nil {
			return err
		}
	}
	issuer, err := issuerOf(c.URL)
	if err != nil {
		return err
	}
	login := os.Getenv("MCP_CONFORMANCE_SCENARIO") != "auth/client-credentials-basic"
	c.OAuth = &mcp.OAuth{Issuer: issuer, ClientID: given.ID, ClientSecret: given.Secret, Login: login}
	return nil
}

// issuerOf is the authorization server that a server names.
func issuerOf(server string) (string, error) {
	resp, err := http.Post(server, "application/json", strings.NewReader("{}"))
	if err != nil {
		return "", err
	}
	resp.Body.Close()
	well := "/.well-known/oauth-protected-resource"
	places := []string{strings.Replace(server, "/mcp", well+"/mcp", 1), strings.Replace(server, "/mcp", well, 1)}
	if _, said, ok := strings.Cut(resp.Header.Get("WWW-Authenticate"), `resource_metadata="`); ok {
		place, _, _ := strings.Cut(said, `"`)
		places = []string{place}
	}
	var about struct {
		Servers []string `json:"authorization_servers"`
	}
	for _, place := range places {
		if resp, err = http.Get(place); err != nil {
			return "", err
		}
		err = json.UnmarshalRead(resp.Body, &about)
		resp.Body.Close()
		if err == nil && len(about.Servers) > 0 {
			return about.Servers[0], nil
		}
	}
	return "", fmt.Errorf("the server names no issuer: %w", err)
}

// consent is a browser whose owner says yes.
func consent(address string) {
	if resp, err := http.Get(address); err == nil {
		resp.Body.Close()
	}
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
