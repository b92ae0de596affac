package main

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func (p *probe) admin() *kadm.Client {
	return kadm.NewClient(p.client())
}

func text(value string) *string { return &value }

func adminTopics(p *probe) {
	admin := p.admin()
	defer admin.Close()
	all := context.Background()
	made, err := admin.CreateTopics(all, 2, 1, map[string]*string{"retention.ms": text("1000000")}, "made", "made-too")
	p.well(err, "create")
	p.well(made.Error(), "create")
	again, err := admin.CreateTopics(all, 2, 1, nil, "made")
	p.well(err, "create again")
	p.holds(errors.Is(again["made"].Err, kerr.TopicAlreadyExists), "again: %v", again["made"].Err)
	p.saw("again", fmt.Sprint(again["made"].Err, again["made"].ErrMessage))
	listed, err := admin.ListTopics(all, "made", "made-too")
	p.well(err, "list")
	p.holds(len(listed["made"].Partitions) == 2, "partitions %v", listed["made"].Partitions)
	grown, err := admin.CreatePartitions(all, 1, "made")
	p.well(err, "grow")
	p.well(grown.Error(), "grow")
	p.until("three partitions", func() bool {
		listed, err := admin.ListTopics(all, "made")
		return err == nil && len(listed["made"].Partitions) == 3
	})
	gone, err := admin.DeleteTopics(all, "made-too", "never-made")
	p.well(err, "delete")
	p.well(gone["made-too"].Err, "delete")
	p.saw("delete what is not there", gone["never-made"].Err)
}

func adminConfigs(p *probe) {
	admin := p.admin()
	defer admin.Close()
	all := context.Background()
	p.topic("configured", 1)
	changed, err := admin.AlterTopicConfigs(all, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: text("5000")}}, "configured")
	p.well(err, "alter")
	p.well(changed[0].Err, "alter")
	p.until("the change is seen", func() bool {
		configs, err := admin.DescribeTopicConfigs(all, "configured")
		p.well(err, "describe")
		for _, each := range configs[0].Configs {
			if each.Key == "retention.ms" {
				return each.MaybeValue() == "5000"
			}
		}
		return false
	})
	whole, err := admin.AlterTopicConfigsState(all, []kadm.AlterConfig{{Name: "max.message.bytes", Value: text("7000")}}, "configured")
	p.well(err, "alter the old way")
	p.well(whole[0].Err, "alter the old way")
	p.until("only the new one is set", func() bool {
		configs, err := admin.DescribeTopicConfigs(all, "configured")
		p.well(err, "describe")
		set := map[string]string{}
		for _, each := range configs[0].Configs {
			if each.Source.String() == "DYNAMIC_TOPIC_CONFIG" {
				set[each.Key] = each.MaybeValue()
			}
		}
		return fmt.Sprint(set) == "map[max.message.bytes:7000]"
	})
	brokers, err := admin.DescribeBrokerConfigs(all, 1)
	p.well(err, "describe the broker")
	p.holds(len(brokers[0].Configs) > 20, "%d broker configs", len(brokers[0].Configs))
}

func adminGroups(p *probe) {
	admin := p.admin()
	defer admin.Close()
	all := context.Background()
	p.topic("grouped", 2)
	one := p.join("grouped", "grouped", kgo.ClientID("one"), kgo.Balancers(kgo.RangeBalancer()))
	p.until("it has both", func() bool { return len(one.partitions()) == 2 })
	listed, err := admin.ListGroups(all)
	p.well(err, "list")
	p.saw("listed", fmt.Sprintf("%+v", listed["grouped"]))
	described, err := admin.DescribeGroups(all, "grouped", "nobody")
	p.well(err, "describe")
	group := described["grouped"]
	p.saw("described", fmt.Sprint(group.State, " ", group.ProtocolType, " ", group.Protocol, " ", len(group.Members), " ", group.Err))
	assigned, _ := group.Members[0].Assigned.AsConsumer()
	joined, _ := group.Members[0].Join.AsConsumer()
	p.saw("member", fmt.Sprint(group.Members[0].ClientID, " ", group.Members[0].ClientHost, " ", assigned.Topics, " ", joined.Topics))
	p.saw("unknown", fmt.Sprint(described["nobody"].State, " ", described["nobody"].Err))
	busy, err := admin.DeleteGroups(all, "grouped")
	p.well(err, "delete")
	p.holds(errors.Is(busy["grouped"].Err, kerr.NonEmptyGroup), "delete with a member: %v", busy["grouped"].Err)
	one.leave()
	gone, err := admin.DeleteGroups(all, "grouped", "nobody")
	p.well(err, "delete")
	p.well(gone["grouped"].Err, "delete an empty one")
	p.saw("delete an unknown one", gone["nobody"].Err)
}

func adminOffsets(p *probe) {
	admin := p.admin()
	defer admin.Close()
	all := context.Background()
	p.topic("offsets", 2)
	p.fill("offsets", 2, 10)
	var wanted kadm.Offsets = map[string]map[int32]kadm.Offset{}
	wanted.AddOffset("offsets", 0, 4, -1)
	wanted.AddOffset("offsets", 1, 7, 0)
	p.well(admin.CommitAllOffsets(all, "offsets", wanted), "commit")
	fetched, err := admin.FetchOffsets(all, "offsets")
	p.well(err, "fetch")
	var seen []string
	fetched.Each(func(each kadm.OffsetResponse) {
		seen = append(seen, fmt.Sprint(each.Topic, " ", each.Partition, " ", each.At, " ", each.LeaderEpoch, " ", each.Metadata, " ", each.Err))
	})
	sort.Strings(seen)
	p.saw("fetched", seen)
	many := admin.FetchManyOffsets(all, "offsets", "nobody")
	p.saw("many", fmt.Sprint(len(many["offsets"].Fetched["offsets"]), " ", len(many["nobody"].Fetched), " ", many["nobody"].Err))
	lags, err := admin.Lag(all, "offsets")
	p.well(err, "lag")
	p.holds(lags["offsets"].Lag.Total() == 9, "lag 9, got %d", lags["offsets"].Lag.Total())
	var drop kadm.TopicsSet = map[string]map[int32]struct{}{}
	drop.Add("offsets", 0)
	dropped, err := admin.DeleteOffsets(all, "offsets", drop)
	p.well(err, "delete offsets")
	p.saw("deleted", dropped)
	left, err := admin.FetchOffsets(all, "offsets")
	p.well(err, "fetch again")
	p.holds(len(left["offsets"]) == 1, "left %v", left)
	_, err = admin.DeleteOffsets(all, "nobody", drop)
	p.saw("delete offsets of an unknown group", err)
}

func adminRecords(p *probe) {
	admin := p.admin()
	defer admin.Close()
	all := context.Background()
	p.topic("records", 1)
	p.fill("records", 1, 10)
	var upTo kadm.Offsets = map[string]map[int32]kadm.Offset{}
	upTo.AddOffset("records", 0, 3, -1)
	deleted, err := admin.DeleteRecords(all, upTo)
	p.well(err, "delete records")
	p.saw("low watermark", deleted["records"][0].LowWatermark)
	start, err := admin.ListStartOffsets(all, "records")
	p.well(err, "start offsets")
	end, err := admin.ListEndOffsets(all, "records")
	p.well(err, "end offsets")
	committed, err := admin.ListCommittedOffsets(all, "records")
	p.well(err, "committed offsets")
	after, err := admin.ListOffsetsAfterMilli(all, 1005, "records")
	p.well(err, "offsets by time")
	top, err := admin.ListMaxTimestampOffsets(all, "records")
	p.well(err, "offset of the largest timestamp")
	p.saw("offsets", fmt.Sprint(start["records"][0], end["records"][0], committed["records"][0], after["records"][0], top["records"][0]))
	epochs, err := admin.OffsetForLeaderEpoch(all, kadm.OffsetForLeaderEpochRequest{"records": {0: 0}})
	p.well(err, "offset for leader epoch")
	p.saw("end of epoch 0", fmt.Sprint(epochs["records"][0].EndOffset, " ", epochs["records"][0].Err))
}

func adminCluster(p *probe) {
	admin := p.admin()
	defer admin.Close()
	all := context.Background()
	meta, err := admin.BrokerMetadata(all)
	p.well(err, "metadata")
	p.saw("brokers", fmt.Sprint(len(meta.Brokers), " ", meta.Controller, " ", meta.Brokers[0].NodeID))
	versions, err := admin.ApiVersions(all)
	p.well(err, "api versions")
	p.saw("brokers with versions", len(versions))
	p.topic("stored", 1)
	p.fill("stored", 1, 4)
	dirs, err := admin.DescribeAllLogDirs(all, nil)
	p.well(err, "log dirs")
	count := 0
	dirs.Each(func(each kadm.DescribedLogDir) {
		count++
		p.well(each.Err, "log dir")
		stored, found := each.Topics.Lookup("stored", 0)
		p.holds(found, "stored is listed")
		p.saw("size", stored.Size)
	})
	p.holds(count == 1, "%d directories", count)
	coordinators := admin.FindGroupCoordinators(all, "a", "b")
	p.saw("coordinators", fmt.Sprint(len(coordinators), " ", coordinators["a"].NodeID, " ", coordinators["a"].Err))
}
