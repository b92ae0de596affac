// Tries franz-go's client and admin at one broker: `program host:port [part of a feature's name]`.
package main

import (
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

type feature struct {
	name string
	try  func(*probe)
}

func main() {
	only := ""
	if len(os.Args) > 2 {
		only = os.Args[2]
	}
	features := []feature{
		{"produce with every compression", produceCompressed},
		{"produce and fetch without a group", produceAndFetch},
		{"group with range", func(p *probe) { twoShare(p, kgo.RangeBalancer()) }},
		{"group with roundrobin", func(p *probe) { twoShare(p, kgo.RoundRobinBalancer()) }},
		{"group with sticky", func(p *probe) { twoShare(p, kgo.StickyBalancer()) }},
		{"consumer group: range", func(p *probe) { ofTheServer(p, kgo.RangeBalancer()) }},
		{"consumer group: uniform", func(p *probe) { ofTheServer(p, kgo.StickyBalancer()) }},
		{"consumer group: killed member is missed", killedMember},
		{"consumer group: static member comes back", newerStaticMember},
		{"consumer group: migration of a running group and back", migration},
		{"group with cooperative-sticky", func(p *probe) { twoShare(p, kgo.CooperativeStickyBalancer()) }},
		{"static member restarts unnoticed", staticMember},
		{"offsets resume after a restart", resume},
		{"topic in a pattern", pattern},
		{"admin: topics", adminTopics},
		{"admin: configs", adminConfigs},
		{"admin: groups", adminGroups},
		{"admin: group offsets and lag", adminOffsets},
		{"admin: list offsets and delete records", adminRecords},
		{"admin: cluster and log dirs", adminCluster},
		{"transactional producer", transactions},
		{"consume, transform, produce", transform},
		{"a rebalance aborts the transaction", rebalanced},
		{"zombie is fenced by its successor", zombie},
		{"admin: transactions and producers", adminTransactions},
	}
	for _, each := range features {
		if strings.Contains(each.name, only) {
			check(os.Args[1], each.name, each.try)
		}
	}
}
