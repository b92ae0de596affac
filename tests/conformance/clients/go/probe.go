package main

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// patience only ends a test that has failed: nothing is decided by it.
const patience = 30 * time.Second

// failure carries a broken expectation to the feature's end.
type failure struct{ why string }

type probe struct {
	bootstrap string
	feature   string
}

var (
	speaking sync.Mutex
	blanks   = regexp.MustCompile(`\s+`)
	ports    = regexp.MustCompile(`:\d{4,5}\b`)
)

// say writes one of the lines that the runner reads.
func say(fields ...string) {
	for index, field := range fields {
		fields[index] = blanks.ReplaceAllString(field, " ")
	}
	speaking.Lock()
	defer speaking.Unlock()
	fmt.Println(strings.Join(fields, "\t"))
}

// saw shows something that both brokers should agree on.
func (p *probe) saw(what string, value any) {
	say("@saw", p.feature, what, ports.ReplaceAllString(fmt.Sprint(value), ":PORT"))
}

func (p *probe) holds(condition bool, what string, values ...any) {
	if !condition {
		panic(failure{fmt.Sprintf(what, values...)})
	}
}

func (p *probe) well(err error, what string) {
	if err != nil {
		panic(failure{what + ": " + err.Error()})
	}
}

// until waits for something that the broker or another goroutine brings about.
func (p *probe) until(what string, condition func() bool) {
	for end := time.Now().Add(patience); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			panic(failure{"still not after " + patience.String() + ": " + what})
		}
	}
}

// check runs one feature and says what came of it.
func check(bootstrap, name string, feature func(*probe)) {
	began := time.Now()
	defer func() {
		switch found := recover().(type) {
		case nil:
			say("@pass", name)
		case failure:
			say("@fail", name, found.why)
		default:
			say("@fail", name, fmt.Sprint("panic: ", found))
		}
		say(fmt.Sprintf("%s took %d ms", name, time.Since(began).Milliseconds()))
	}()
	feature(&probe{bootstrap, name})
}
