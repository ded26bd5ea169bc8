//go:build postgres

package main

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/client"
)

// everyRequest lists requests, page by page.
func everyRequest(at *process, query string) (all []client.Approval, err error) {
	for before := ""; ; {
		var page struct {
			Approvals []client.Approval `json:"approvals"`
		}
		if err := at.request(http.MethodGet, "/api/approvals?limit=100&"+query+before, struct{}{}, &page); err != nil || len(page.Approvals) == 0 {
			return all, err
		}
		all = append(all, page.Approvals...)
		before = "before=" + all[len(all)-1].ApprovalID
	}
}

// pending lists what waits, as one of the gateways has it.
func (c *crowd) pending(at *process) (ids []string, err error) {
	all, err := everyRequest(at, "status=pending&")
	for _, a := range all {
		ids = append(ids, a.ApprovalID)
	}
	slices.Sort(ids)
	return ids, err
}

// await waits until as many requests wait.
func (c *crowd) await(ctx context.Context, at *process, many int) (ids []string) {
	patiently(ctx, func() (err error) {
		if ids, err = c.pending(at); err == nil && len(ids) != many {
			err = errNothing
		}
		return err
	})
	return ids
}

func TestClusterRollingRestartLosesNothingThatWaits(t *testing.T) {
	c := newCrowd(t, nil)
	many := max(40, calls/10)
	for range many {
		patiently(t.Context(), func() error {
			var s struct {
				ID string `json:"sessionId"`
			}
			at := c.any()
			if err := at.request(http.MethodPost, "/api/sessions", map[string]string{"agentId": "demo"}, &s); err != nil || s.ID == "" {
				return errNothing
			}
			return at.request(http.MethodPost, "/api/sessions/"+s.ID+"/messages", map[string]string{"text": "run: " + proof(c.dir)}, &struct{}{})
		})
	}
	before := c.await(t.Context(), c.any(), many)
	for _, s := range c.stations {
		s.restart(t)
		at := s.browserOf(c.who)
		if diff := cmp.Diff(before, c.await(t.Context(), at, many)); diff != "" {
			t.Fatalf("what waits once %s was started again (-before +after):\n%s", s.name, diff)
		}
	}
	for i, id := range before {
		patiently(t.Context(), func() error {
			var done client.Approval
			err := c.stations[i%3].browserOf(c.who).request(http.MethodPost, "/api/approvals/"+id, map[string]string{"status": "approved"}, &done)
			if err == nil && done.Status != "approved" {
				err = errNothing
			}
			return err
		})
	}
	patiently(t.Context(), func() error {
		rest, err := c.any().atRest()
		if err == nil && !rest {
			err = errNothing
		}
		return err
	})
	got := ran(t, c.dir)
	slices.Sort(got)
	if len(got) != many || len(slices.Compact(got)) != many {
		t.Errorf("%d calls ran, of %d", len(got), many)
	}
}
