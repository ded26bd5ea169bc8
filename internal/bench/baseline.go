package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// bare is a WebSocket server that does nothing else than serve does with a connection.
func bare(serve func(*websocket.Conn)) (*httptest.Server, string) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }, ReadBufferSize: 1024, WriteBufferSize: 1024, WriteBufferPool: &sync.Pool{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ws, err := upgrader.Upgrade(w, r, nil); err == nil {
			go serve(ws)
		}
	}))
	return server, "ws" + strings.TrimPrefix(server.URL, "http")
}

// echo is the time that a frame takes to a server and back.
func echo(size, rounds int) (time.Duration, error) {
	server, url := bare(func(ws *websocket.Conn) {
		defer ws.Close()
		for {
			kind, data, err := ws.ReadMessage()
			if err != nil || ws.WriteMessage(kind, data) != nil {
				return
			}
		}
	})
	defer server.Close()
	ws, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		return 0, err
	}
	defer ws.Close()
	times := make([]time.Duration, rounds)
	data := []byte(strings.Repeat("x", size))
	for i := range times {
		began := time.Now()
		if err := ws.WriteMessage(websocket.TextMessage, data); err != nil {
			return 0, err
		}
		if _, _, err := ws.ReadMessage(); err != nil {
			return 0, err
		}
		times[i] = time.Since(began)
	}
	return median(times), nil
}

// fsync is the time that a durable append of a page takes.
func fsync(dir string, rounds int) (time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	page := make([]byte, 4096)
	times := make([]time.Duration, rounds)
	for i := range times {
		began := time.Now()
		if _, err := f.Write(page); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		times[i] = time.Since(began)
	}
	return median(times), nil
}

// broadcast is the processor time of one delivery, sender and receivers together, where a loop
// writes one prepared frame to every connection.
func broadcast(size, connections, rounds int) (time.Duration, error) {
	var mu sync.Mutex
	var all []*websocket.Conn
	server, url := bare(func(ws *websocket.Conn) {
		mu.Lock()
		all = append(all, ws)
		mu.Unlock()
	})
	defer server.Close()
	var read atomic.Int64
	var open []*tab
	defer func() { closeAll(open) }()
	dialer := websocket.Dialer{ReadBufferSize: 1024, WriteBufferSize: 1024}
	for range connections {
		ws, _, err := dialer.Dial(url, nil)
		if err != nil {
			return 0, err
		}
		t := &tab{ws: ws}
		open = append(open, t)
		go t.drain(func() { read.Add(1) })
	}
	wait(func() bool { mu.Lock(); defer mu.Unlock(); return len(all) == connections })
	data := []byte(strings.Repeat("x", size))
	began := ownCPU()
	for range rounds {
		message, err := websocket.NewPreparedMessage(websocket.TextMessage, data)
		if err != nil {
			return 0, err
		}
		for _, ws := range all {
			if err := ws.WritePreparedMessage(message); err != nil {
				return 0, err
			}
		}
	}
	wait(func() bool { return read.Load() == int64(rounds*connections) })
	spent := ownCPU() - began
	for _, ws := range all {
		_ = ws.Close()
	}
	return spent / time.Duration(rounds*connections), nil
}

// wait polls until something is so.
func wait(so func() bool) {
	for !so() {
		time.Sleep(time.Millisecond)
	}
}
