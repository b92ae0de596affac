package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// inTransaction sends values to partition 0 of a topic; the transaction stays open.
func (p *probe) inTransaction(client *kgo.Client, topic string, values ...string) {
	p.well(client.BeginTransaction(), "begin")
	for _, value := range values {
		record := &kgo.Record{Topic: topic, Value: []byte(value)}
		p.well(client.ProduceSync(context.Background(), record).FirstErr(), "produce in a transaction")
	}
}

func (p *probe) end(client *kgo.Client, how kgo.TransactionEndTry) {
	p.well(client.EndTransaction(context.Background(), how), "end the transaction")
}

// committed reads that many records, and the values are compared.
func (p *probe) committed(topic string, wanted ...string) {
	var values []string
	for _, record := range p.readAll(topic, len(wanted), kgo.FetchIsolationLevel(kgo.ReadCommitted())) {
		values = append(values, string(record.Value))
	}
	p.holds(fmt.Sprint(values) == fmt.Sprint(wanted), "committed in %s: %v", topic, values)
}

func transactions(p *probe) {
	p.topic("transactions", 1)
	client := p.client(kgo.TransactionalID("tx"))
	defer client.Close()
	p.inTransaction(client, "transactions", "aborted 1", "aborted 2")
	p.end(client, kgo.TryAbort)
	wanted := []string{}
	for number := 0; number < 10; number++ {
		value := fmt.Sprint("kept ", number)
		p.inTransaction(client, "transactions", value)
		p.end(client, kgo.TryCommit)
		wanted = append(wanted, value)
	}
	p.committed("transactions", wanted...)
	p.holds(len(p.readAll("transactions", 12)) == 12, "all are there")
}

func (p *probe) session(name, topic string, more ...kgo.Opt) *kgo.GroupTransactSession {
	session, err := kgo.NewGroupTransactSession(append([]kgo.Opt{
		kgo.SeedBrokers(p.bootstrap),
		kgo.RetryTimeout(15 * time.Second),
		kgo.TransactionalID(name),
		kgo.ConsumerGroup(name),
		kgo.ConsumeTopics(topic),
		kgo.Balancers(kgo.RangeBalancer()),
		kgo.SessionTimeout(6 * time.Second),
		kgo.HeartbeatInterval(300 * time.Millisecond),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RequireStableFetchOffsets(),
	}, more...)...)
	p.well(err, "make a session")
	return session
}

// take polls records and sends them to the target, in a transaction that it leaves open.
func (p *probe) take(session *kgo.GroupTransactSession, target string, prefix string) int {
	limit, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	fetched := session.PollRecords(limit, 7)
	p.well(fetched.Err(), "poll")
	p.well(session.Begin(), "begin")
	fetched.EachRecord(func(record *kgo.Record) {
		made := &kgo.Record{Topic: target, Value: append([]byte(prefix), record.Value...)}
		session.Produce(context.Background(), made, nil)
	})
	return fetched.NumRecords()
}

func transform(p *probe) {
	p.topic("tx-source", 1)
	p.topic("tx-target", 1)
	p.fill("tx-source", 1, 50)
	session := p.session("tx-transform", "tx-source")
	defer session.Close()
	for taken, round := 0, 0; taken < 50; round++ {
		if round%3 == 1 {
			p.take(session, "tx-target", "aborted ")
			_, err := session.End(context.Background(), kgo.TryAbort)
			p.well(err, "abort")
			continue
		}
		count := p.take(session, "tx-target", "made of ")
		committed, err := session.End(context.Background(), kgo.TryCommit)
		p.well(err, "commit")
		p.holds(committed, "it is committed")
		taken += count
	}
	wanted := []string{}
	for number := 0; number < 50; number++ {
		wanted = append(wanted, fmt.Sprintf("made of tx-source-0-%d", number))
	}
	p.committed("tx-target", wanted...)
	admin := p.admin()
	defer admin.Close()
	offsets, err := admin.FetchOffsets(context.Background(), "tx-transform")
	p.well(err, "fetch offsets")
	p.holds(offsets["tx-source"][0].At == 50, "committed %d", offsets["tx-source"][0].At)
}

func rebalanced(p *probe) {
	p.topic("tx-shared", 2)
	p.topic("tx-shared-target", 1)
	p.fill("tx-shared", 2, 5)
	var revoked atomic.Bool
	session := p.session("tx-shared", "tx-shared", kgo.OnPartitionsRevoked(
		func(context.Context, *kgo.Client, map[string][]int32) { revoked.Store(true) }))
	defer session.Close()
	p.take(session, "tx-shared-target", "lost ")
	other := p.join("tx-shared", "tx-shared", kgo.Balancers(kgo.RangeBalancer()))
	p.until("it was told of the rebalance", revoked.Load)
	committed, err := session.End(context.Background(), kgo.TryCommit)
	p.well(err, "end")
	p.holds(!committed, "what was begun before the rebalance is not committed")
	other.leave()
	for taken := 0; taken < 10; {
		count := p.take(session, "tx-shared-target", "kept ")
		committed, err := session.End(context.Background(), kgo.TryCommit)
		p.well(err, "end")
		if committed {
			taken += count
		}
	}
	records := p.readAll("tx-shared-target", 10, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	values := map[string]bool{}
	for _, record := range records {
		values[string(record.Value[:5])] = true
	}
	p.holds(len(records) == 10 && len(values) == 1 && values["kept "], "committed: %d, %v", len(records), values)
}

func zombie(p *probe) {
	p.topic("tx-zombie", 1)
	first := p.client(kgo.TransactionalID("tx-zombie"))
	defer first.Close()
	p.inTransaction(first, "tx-zombie", "of the zombie")
	heir := p.client(kgo.TransactionalID("tx-zombie"))
	defer heir.Close()
	p.inTransaction(heir, "tx-zombie", "of the heir")
	err := first.EndTransaction(context.Background(), kgo.TryCommit)
	p.holds(errors.Is(err, kerr.ProducerFenced) || errors.Is(err, kerr.InvalidProducerEpoch), "the zombie's commit: %v", err)
	p.saw("commit of the zombie", err)
	p.end(heir, kgo.TryCommit)
	p.committed("tx-zombie", "of the heir")
}

func adminTransactions(p *probe) {
	p.topic("tx-described", 1)
	admin := p.admin()
	defer admin.Close()
	client := p.client(kgo.TransactionalID("tx-described"))
	defer client.Close()
	p.inTransaction(client, "tx-described", "open")
	all := context.Background()
	described, err := admin.DescribeTransactions(all, "tx-described", "nobody")
	p.well(err, "describe")
	open := described["tx-described"]
	p.saw("described", fmt.Sprint(open.State, " ", open.TimeoutMillis, " ", open.Topics.Sorted(), " ", open.ProducerEpoch))
	p.saw("unknown", described["nobody"].Err)
	listed, err := admin.ListTransactions(all, nil, []string{"Ongoing"})
	p.well(err, "list")
	p.saw("listed", listed["tx-described"].State)
	var which kadm.TopicsSet = map[string]map[int32]struct{}{}
	which.Add("tx-described", 0)
	producers, err := admin.DescribeProducers(all, which)
	p.well(err, "describe producers")
	for _, each := range producers.SortedProducers() {
		p.holds(each.ProducerID == open.ProducerID, "the producer is the transaction's")
		p.saw("producer", fmt.Sprint(each.ProducerEpoch, " ", each.LastSequence, " ", each.CurrentTxnStartOffset, " ", each.CoordinatorEpoch))
	}
	p.end(client, kgo.TryCommit)
}
