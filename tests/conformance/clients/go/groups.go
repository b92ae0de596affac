package main

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// member is a consumer of a group that polls on a goroutine of its own.
type member struct {
	client *kgo.Client
	stop   context.CancelFunc
	done   chan struct{}
	lock   sync.Mutex
	owned  map[int32]bool
	values map[string]bool
	count  int
	told   []string
}

func (p *probe) client(options ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(p.bootstrap),
		kgo.RetryTimeout(15 * time.Second),
	}, options...)...)
	p.well(err, "make a client")
	return client
}

func (p *probe) topic(name string, partitions int32) {
	client := p.client()
	defer client.Close()
	made, err := kadm.NewClient(client).CreateTopic(context.Background(), partitions, 1, nil, name)
	p.well(err, "create "+name)
	p.well(made.Err, "create "+name)
}

// fill writes count records to every partition.
func (p *probe) fill(topic string, partitions, count int) {
	client := p.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	defer client.Close()
	var records []*kgo.Record
	for number := 0; number < count; number++ {
		for partition := 0; partition < partitions; partition++ {
			value := fmt.Sprintf("%s-%d-%d", topic, partition, number)
			records = append(records, &kgo.Record{
				Topic: topic, Partition: int32(partition), Value: []byte(value), Timestamp: time.UnixMilli(int64(1000 + number)),
			})
		}
	}
	limit, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	p.well(client.ProduceSync(limit, records...).FirstErr(), "produce to "+topic)
}

func (p *probe) join(group, topic string, options ...kgo.Opt) *member {
	m := &member{owned: map[int32]bool{}, values: map[string]bool{}, done: make(chan struct{})}
	context_, stop := context.WithCancel(context.Background())
	m.stop = stop
	m.client = p.client(append([]kgo.Opt{
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.SessionTimeout(6 * time.Second),
		kgo.HeartbeatInterval(300 * time.Millisecond),
		kgo.DisableAutoCommit(),
		kgo.OnPartitionsAssigned(m.note("assigned", topic, func(partition int32) { m.owned[partition] = true })),
		kgo.OnPartitionsRevoked(m.note("revoked", topic, func(partition int32) { delete(m.owned, partition) })),
		kgo.OnPartitionsLost(m.note("lost", topic, func(partition int32) { delete(m.owned, partition) })),
	}, options...)...)
	go func() {
		defer close(m.done)
		for context_.Err() == nil {
			m.client.PollFetches(context_).EachRecord(func(record *kgo.Record) {
				m.lock.Lock()
				defer m.lock.Unlock()
				m.values[string(record.Value)] = true
				m.count++
			})
		}
	}()
	return m
}

func (m *member) note(word, topic string, each func(int32)) func(context.Context, *kgo.Client, map[string][]int32) {
	return func(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
		m.lock.Lock()
		defer m.lock.Unlock()
		for _, partition := range partitions[topic] {
			each(partition)
		}
		m.told = append(m.told, fmt.Sprint(word, " ", len(partitions[topic])))
	}
}

func (m *member) partitions() (owned []int32) {
	m.lock.Lock()
	defer m.lock.Unlock()
	for partition := range m.owned {
		owned = append(owned, partition)
	}
	sort.Slice(owned, func(left, right int) bool { return owned[left] < owned[right] })
	return owned
}

func (m *member) read() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return len(m.values)
}

// total counts records that came twice twice.
func (m *member) total() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.count
}

func (m *member) leave() {
	m.stop()
	<-m.done
	m.client.Close()
}

// twoShare: one has all, two share, every record is read, and who stays has all again.
func twoShare(p *probe, balancer kgo.GroupBalancer) {
	topic := "share-" + balancer.ProtocolName()
	p.topic(topic, 4)
	first := p.join(topic, topic, kgo.Balancers(balancer))
	defer first.leave()
	p.until("the first has all four", func() bool { return len(first.partitions()) == 4 })
	second := p.join(topic, topic, kgo.Balancers(balancer))
	p.until("two each", func() bool { return len(first.partitions()) == 2 && len(second.partitions()) == 2 })
	p.fill(topic, 4, 10)
	p.until("all records came", func() bool { return first.read()+second.read() == 40 })
	_, generation := first.client.GroupMetadata()
	p.saw("generation with two", generation)
	second.leave()
	p.until("the first has all again", func() bool { return len(first.partitions()) == 4 })
	first.lock.Lock()
	defer first.lock.Unlock()
	p.saw("what the first was told", first.told)
}

// staticMember: KIP-345, one that comes back within its session causes no rebalance.
func staticMember(p *probe) {
	p.topic("static", 4)
	stays := p.join("static", "static", kgo.InstanceID("one"))
	defer stays.leave()
	p.until("the first has all four", func() bool { return len(stays.partitions()) == 4 })
	goes := p.join("static", "static", kgo.InstanceID("two"))
	p.until("two each", func() bool { return len(stays.partitions()) == 2 && len(goes.partitions()) == 2 })
	before := fmt.Sprint(goes.partitions())
	_, generation := stays.client.GroupMetadata()
	goes.leave()
	back := p.join("static", "static", kgo.InstanceID("two"))
	defer back.leave()
	p.until("it is back", func() bool { return len(back.partitions()) == 2 })
	_, after := back.client.GroupMetadata()
	p.holds(generation == after, "generation %d stays, got %d", generation, after)
	p.holds(before == fmt.Sprint(back.partitions()), "it had %s and now has %v", before, back.partitions())
}

func resume(p *probe) {
	p.topic("resume", 1)
	p.fill("resume", 1, 10)
	first := p.join("resume", "resume")
	p.until("it read all", func() bool { return first.read() == 10 })
	p.well(first.client.CommitUncommittedOffsets(context.Background()), "commit")
	committed := first.client.CommittedOffsets()["resume"][0]
	p.saw("committed", committed)
	first.leave()
	p.fill("resume", 1, 3)
	client := p.client(kgo.ConsumerGroup("resume"), kgo.ConsumeTopics("resume"))
	defer client.Close()
	fetched := client.PollFetches(context.Background())
	p.well(fetched.Err(), "fetch")
	p.holds(fetched.Records()[0].Offset == 10, "goes on at 10, got %d", fetched.Records()[0].Offset)
	p.well(client.CommitMarkedOffsets(context.Background()), "commit nothing")
}

func pattern(p *probe) {
	p.topic("pattern-a", 1)
	p.topic("pattern-b", 1)
	p.fill("pattern-a", 1, 2)
	p.fill("pattern-b", 1, 2)
	client := p.client(
		kgo.ConsumerGroup("pattern"), kgo.ConsumeRegex(), kgo.ConsumeTopics("pattern-.*"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	defer client.Close()
	limit, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	for read := 0; read < 4; {
		fetched := client.PollFetches(limit)
		p.well(fetched.Err(), "fetch")
		read += fetched.NumRecords()
	}
}
