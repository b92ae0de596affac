package main

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Groups of the consumer protocol (KIP-848), in which the coordinator assigns.

// line is a way to the broker that can be cut: what a killed process leaves behind.
type line struct {
	lock  sync.Mutex
	cut   bool
	conns []net.Conn
}

func (l *line) dial(ctx context.Context, network, host string) (net.Conn, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.cut {
		return nil, errors.New("the line is cut")
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, host)
	if err == nil {
		l.conns = append(l.conns, conn)
	}
	return conn, err
}

func (l *line) sever() {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.cut = true
	for _, conn := range l.conns {
		conn.Close()
	}
}

func groupType(p *probe, client *kgo.Client, group string) string {
	for _, kind := range []string{"classic", "consumer"} {
		listed, err := kadm.NewClient(client).ListGroupsByType(context.Background(), []string{kind})
		p.well(err, "list groups")
		if _, found := listed[group]; found {
			return kind
		}
	}
	return "not listed"
}

// ofTheServer: one has all, two share, every record is read, and who stays has all again.
func ofTheServer(p *probe, balancer kgo.GroupBalancer) {
	topic := "newer-" + balancer.ProtocolName()
	p.topic(topic, 4)
	options := []kgo.Opt{kgo.ServerSideBalancer(), kgo.Balancers(balancer)}
	first := p.join(topic, topic, options...)
	defer first.leave()
	p.until("the first has all four", func() bool { return len(first.partitions()) == 4 })
	second := p.join(topic, topic, options...)
	p.until("two each", func() bool { return len(first.partitions()) == 2 && len(second.partitions()) == 2 })
	p.fill(topic, 4, 10)
	p.until("all records came", func() bool { return first.read()+second.read() == 40 })
	p.saw("type", groupType(p, first.client, topic))
	second.leave()
	p.until("the first has all again", func() bool { return len(first.partitions()) == 4 })
}

// killedMember: nobody says goodbye for it, its session ends.
func killedMember(p *probe) {
	p.topic("newer-killed", 4)
	stays := p.join("newer-killed", "newer-killed", kgo.ServerSideBalancer())
	defer stays.leave()
	p.until("the first has all four", func() bool { return len(stays.partitions()) == 4 })
	way := &line{}
	victim := p.join("newer-killed", "newer-killed", kgo.ServerSideBalancer(), kgo.Dialer(way.dial))
	p.until("two each", func() bool { return len(stays.partitions()) == 2 && len(victim.partitions()) == 2 })
	way.sever()
	victim.stop()
	p.until("the first has all again", func() bool { return len(stays.partitions()) == 4 })
}

// newerStaticMember: it comes back within its session, and nobody else gets its partitions.
func newerStaticMember(p *probe) {
	join := func(instance string) *member {
		return p.join("newer-static", "newer-static", kgo.ServerSideBalancer(), kgo.InstanceID(instance))
	}
	p.topic("newer-static", 4)
	stays := join("one")
	defer stays.leave()
	p.until("the first has all four", func() bool { return len(stays.partitions()) == 4 })
	goes := join("two")
	p.until("two each", func() bool { return len(stays.partitions()) == 2 && len(goes.partitions()) == 2 })
	before := goes.partitions()
	goes.leave()
	back := join("two")
	defer back.leave()
	p.until("it is back", func() bool { return len(back.partitions()) == 2 })
	p.saw("the same partitions", before[0] == back.partitions()[0] && before[1] == back.partitions()[1])
	p.holds(len(stays.partitions()) == 2, "who stayed has two, got %v", stays.partitions())
}

// migration: a running group moves to the consumer protocol member by member, and back. Everything is committed before a member
// goes, so that a record which is read twice was read twice after its commit.
func migration(p *probe) {
	const topic, partitions, records = "newer-moves", 4, 10
	p.topic(topic, partitions)
	older := func() *member { return p.join(topic, topic, kgo.Balancers(kgo.RangeBalancer())) }
	newer := func() *member { return p.join(topic, topic, kgo.ServerSideBalancer()) }
	members := []*member{older(), older()}
	var gone []*member
	written := 0
	readAll := func() {
		p.until("two each", func() bool {
			return len(members[0].partitions()) == 2 && len(members[1].partitions()) == 2
		})
		p.fill(topic, partitions, records)
		written += partitions * records
		p.until("all records came", func() bool { return readByAll(members, gone) >= written })
		for _, each := range members {
			p.well(each.client.CommitUncommittedOffsets(context.Background()), "commit")
		}
		p.saw("type", groupType(p, members[0].client, topic))
	}
	readAll()
	for _, next := range []func() *member{newer, newer, older, older} {
		members[0].leave()
		gone = append(gone, members[0])
		members = []*member{members[1], next()}
		readAll()
	}
	for _, each := range members {
		each.leave()
	}
	p.saw("records read, each once", readByAll(members, gone) == written)
}

func readByAll(members, gone []*member) (count int) {
	for _, each := range append(append([]*member{}, members...), gone...) {
		count += each.total()
	}
	return count
}
