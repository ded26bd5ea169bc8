package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
)

// completeWithin bounds how long a shell waits for what it completes. A gateway that does not
// answer completes nothing.
const completeWithin = 2 * time.Second

// mostCompleted is how many ids of the past are offered.
const mostCompleted = 50

// values are what an argument or a flag can be, each with a description after a tab. Who can't
// be asked gives none.
type values func(ctx context.Context, gateway *client.Client) []string

// reacher reaches a gateway, such as a remote.
type reacher interface {
	client() (*client.Client, error)
}

// complete makes the completion of a verb's arguments, in order.
func complete(o reacher, args ...values) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(given) >= len(args) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		gateway, err := o.client()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, stop := context.WithTimeout(c.Context(), completeWithin)
		defer stop()
		return fitting(args[len(given)](ctx, gateway), begun), cobra.ShellCompDirectiveNoFileComp
	}
}

// fitting also offers the end of an id, which is what lists show.
func fitting(all []string, begun string) (fit []string) {
	for _, value := range all {
		id, words, _ := strings.Cut(value, "\t")
		switch {
		case strings.HasPrefix(id, begun):
			fit = append(fit, value)
		case fullID(id) && strings.HasPrefix(short(id), begun):
			fit = append(fit, short(id)+"\t"+words)
		}
	}
	return fit
}

func completeFlag(c *cobra.Command, flag string, list values, o reacher) {
	all := complete(o, list)
	// It fails only for a flag that is not there, or twice.
	_ = c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return all(c, nil, begun)
	})
}

func completeWords(c *cobra.Command, flag string, words ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// fixed are values that need no gateway to be known.
func fixed[T ~string](words ...T) values {
	return func(context.Context, *client.Client) (all []string) {
		for _, w := range words {
			all = append(all, string(w))
		}
		return all
	}
}

func roles() (all []string) {
	for _, r := range auth.Roles() {
		all = append(all, string(r))
	}
	return all
}

func requestIDs(ctx context.Context, gateway *client.Client) []string {
	var ids []string
	for a, err := range gateway.Approvals(ctx, client.Filter{Status: approval.Pending}) {
		if err != nil {
			return nil
		}
		ids = append(ids, a.ApprovalID+"\t"+cell(oneLine(a.AgentID)+": "+call(a.Request, nil), callWidth))
	}
	return ids
}

func sessionIDs(ctx context.Context, gateway *client.Client) []string {
	var ids []string
	for s, err := range limited(gateway.Sessions(ctx), mostCompleted) {
		if err != nil {
			return nil
		}
		ids = append(ids, s.ID+"\t"+cell(oneLine(s.AgentID+": "+s.Title), callWidth))
	}
	return ids
}

func agentNames(ctx context.Context, gateway *client.Client) []string {
	agents, _ := gateway.Agents(ctx) // without them nothing is completed
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.AgentID
	}
	return names
}

func toolNamesOfAll(ctx context.Context, gateway *client.Client) []string {
	agents, _ := gateway.Agents(ctx)
	var names []string
	for _, a := range agents {
		for _, t := range a.Tools {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func grantIDs(ctx context.Context, gateway *client.Client) []string {
	grants, _ := gateway.Grants(ctx, "", false)
	ids := make([]string, len(grants))
	for i, g := range grants {
		ids[i] = g.ID + "\t" + cell(oneLine(g.AgentID+": "+g.Words()), callWidth)
	}
	return ids
}

// credentialIDs completes only for who may manage without a passphrase.
func credentialIDs(list lister) values {
	return func(ctx context.Context, gateway *client.Client) []string {
		all, _ := list(gateway, ctx)
		ids := make([]string, len(all))
		for i, c := range all {
			ids[i] = c.ID + "\t" + cell(oneLine(c.Subject+": "+c.Name), callWidth)
		}
		return ids
	}
}

// inFile completes a flag by what the configuration file has.
func inFile(c *cobra.Command, flag string, p *location, names func(*policyEnv) []string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		b, err := openPolicyEnv(p)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(b), cobra.ShellCompDirectiveNoFileComp
	})
}
