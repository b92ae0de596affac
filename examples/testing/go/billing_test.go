// Package billing tests a consumer with Go's own test runner and franz-go: go test ./...
package billing

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func consumer(t *testing.T, m *muster) *kgo.Client {
	client, err := kgo.NewClient(kgo.SeedBrokers(m.broker), kgo.ConsumerGroup("billing"), kgo.ConsumeTopics("orders"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.HeartbeatInterval(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func TestEveryOrderIsBilled(t *testing.T) {
	m := startMuster(t)
	m.ask("POST", "topics", map[string]any{"name": "orders", "partitions": 1})
	m.ask("POST", "topics/orders/records", map[string]any{"records": []map[string]string{{"value": "tea"}, {"value": "pots"}}})
	client := consumer(t, m)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	billed := []string{}
	for len(billed) < 2 && ctx.Err() == nil {
		client.PollFetches(ctx).EachRecord(func(r *kgo.Record) { billed = append(billed, string(r.Value)) })
	}
	if got := strings.Join(billed, " "); got != "tea pots" {
		t.Fatalf("billed %q", got)
	}
}

func TestAMemberWithoutHeartbeatsLosesItsPlace(t *testing.T) {
	m := startMuster(t)
	m.ask("POST", "topics", map[string]any{"name": "orders", "partitions": 1})
	consumer(t, m)
	m.ask("GET", "groups/billing/wait?state=Stable&members=1", nil)
	m.ask("POST", "clock/advance", map[string]any{"minutes": 10})
	told := fmt.Sprint(m.ask("GET", "groups/billing/explain", nil)["lines"])
	if !strings.Contains(told, "no heartbeat within the session timeout") {
		t.Fatal(told)
	}
}
