package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Five thousand connections that say nothing, or not all of it, at once.
func TestConnectionsThatSayNothingLeaveOthersServed(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	beginnings := []string{"", "G", "GET /api/me HTTP/1.1\r\nHost: ", "POST /api/login HTTP/1.1\r\nHost: " + s.host + "\r\nOrigin: " + s.url + "\r\nContent-Length: 60000\r\n\r\n{"}
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	for i := range 5000 {
		c, err := net.Dial("tcp", s.host)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		open = append(open, c)
		_, _ = io.WriteString(c, beginnings[i%len(beginnings)]) // those that gave way take nothing more
		if i%500 == 0 {
			s.stands(fmt.Sprint(i, " connections"))
		}
	}
	s.stands("5,000 connections")
	if _, id := s.ask(s.tab(), "true"); id == "" {
		t.Error("a new tab asks for nothing")
	}
	// They are not kept: the gateway hangs up on who does not go on.
	_ = open[len(open)-4].SetReadDeadline(time.Now().Add(patience))
	if _, err := io.ReadAll(open[len(open)-4]); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Errorf("a silent connection is kept: %v", err)
	}
}

func TestHeadersAndBodiesWithoutEndAreCutOff(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	long := strings.Repeat("x", 1<<20)
	for name, request := range map[string]string{
		"a header":     "GET /api/me HTTP/1.1\r\nHost: " + s.host + "\r\nX-Long: " + long + "\r\n\r\n",
		"many headers": "GET /api/me HTTP/1.1\r\nHost: " + s.host + "\r\n" + strings.Repeat("X-Many: y\r\n", 1<<16) + "\r\n",
		"a path":       "GET /" + long + " HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n",
		"a cookie":     "GET /api/me HTTP/1.1\r\nHost: " + s.host + "\r\nCookie: " + strings.Repeat("a=b; ", 1<<16) + "\r\n\r\n",
	} {
		if status, _ := s.raw(request); status != http.StatusRequestHeaderFieldsTooLarge && status != 0 {
			t.Errorf("%s: %d", name, status)
		}
	}
	for name, c := range map[string]struct {
		headers, body string
		want          []int
	}{
		"a body":                   {fmt.Sprintf("Content-Length: %d", len(long)), long, []int{413}},
		"one without a length":     {"Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(long), long), []int{413}},
		"one with two lengths":     {"Content-Length: 5\r\nContent-Length: 6", "{}   ", []int{400}},
		"one whose length is none": {"Content-Length: -1", "{}", []int{400}},
		"one with both":            {"Content-Length: 2\r\nTransfer-Encoding: chunked", "0\r\n\r\n", []int{400, 422}},
	} {
		status, _ := s.raw("POST /api/approvals/" + s.approval + " HTTP/1.1\r\nConnection: close\r\nHost: " + s.host + "\r\nOrigin: " + s.url + "\r\n" +
			strings.Join(s.login(), "\r\n") + "\r\n" + c.headers + "\r\n\r\n" + c.body)
		ok := status == 0 // it hung up while it was being sent
		for _, want := range c.want {
			ok = ok || status == want
		}
		if !ok {
			t.Errorf("%s: %d", name, status)
		}
	}
	s.stands("floods")
}

func TestGuessingIsMadeToWaitAndTheOwnerComesIn(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	var mu sync.Mutex
	counts := map[int]int{}
	var guessing sync.WaitGroup
	each := 12 // an answer takes longer than a second by then
	if thorough() {
		each = 50
	}
	for i := range 8 {
		guessing.Go(func() {
			for n := range each {
				body := fmt.Sprintf(`{"token":"lct_guess%d-%d"}`, i, n)
				status, _ := s.raw(fmt.Sprintf("POST /api/login HTTP/1.1\r\nConnection: close\r\nHost: %s\r\nOrigin: %s\r\nContent-Length: %d\r\n\r\n%s", s.host, s.url, len(body), body))
				mu.Lock()
				counts[status]++
				mu.Unlock()
			}
		})
	}
	guessing.Wait()
	if counts[http.StatusTooManyRequests] < 3*each || counts[http.StatusOK] > 0 {
		t.Errorf("the answers were %v", counts)
	}
	s.stands("guesses") // and who has a login is served
	secret, err := s.member("viewer")
	if err != nil {
		t.Fatal(err)
	}
	body := `{"token":"` + secret + `"}`
	if status, text := s.raw(fmt.Sprintf("POST /api/login HTTP/1.1\r\nConnection: close\r\nHost: %s\r\nOrigin: %s\r\nContent-Length: %d\r\n\r\n%s", s.host, s.url, len(body), body)); status != http.StatusOK {
		t.Errorf("a login that is valid: %d %s", status, text)
	}
}
