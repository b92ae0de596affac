package billing

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// muster is `muster serve --memory --control` while a test runs.
type muster struct {
	t       *testing.T
	broker  string
	control string
}

func startMuster(t *testing.T) *muster {
	program := os.Getenv("MUSTER")
	if program == "" {
		program = "muster"
	}
	server := exec.Command(program, "serve", "--memory", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0",
		"--log-level", "error", "--set", "group.initial.rebalance.delay.ms=0")
	server.Stderr = os.Stderr
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	lines := bufio.NewScanner(output)
	lastWord := func() string {
		if !lines.Scan() {
			t.Fatal("muster did not start")
		}
		words := strings.Fields(lines.Text())
		return words[len(words)-1]
	}
	broker := lastWord() // "listening on HOST:PORT"
	return &muster{t, broker, lastWord()}
}

// ask sends a request to the controls and returns their answer.
func (m *muster) ask(method, path string, body any) map[string]any {
	m.t.Helper()
	content := []byte{}
	if body != nil {
		content, _ = json.Marshal(body)
	}
	request, _ := http.NewRequest(method, m.control+path, bytes.NewReader(content))
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		m.t.Fatal(err)
	}
	defer reply.Body.Close()
	answer := map[string]any{}
	if err := json.NewDecoder(reply.Body).Decode(&answer); err != nil {
		m.t.Fatal(err)
	}
	if reply.StatusCode != http.StatusOK {
		m.t.Fatal(fmt.Sprint(answer["error"]))
	}
	return answer
}
