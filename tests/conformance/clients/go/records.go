package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func produceCompressed(p *probe) {
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for name, codec := range codecs {
		topic := "codec-" + name
		p.topic(topic, 1)
		client := p.client(kgo.ProducerBatchCompression(codec), kgo.DefaultProduceTopic(topic))
		for number := 0; number < 500; number++ {
			client.Produce(context.Background(), kgo.StringRecord(fmt.Sprintf("%d %s", number, strings.Repeat("x", 60))), nil)
		}
		p.well(client.Flush(context.Background()), "flush "+name)
		client.Close()
		records := p.readAll(topic, 500)
		for number, record := range records {
			p.holds(bytes.HasPrefix(record.Value, []byte(fmt.Sprint(number, " "))), "%s: record %d is %.20s", name, number, record.Value)
		}
	}
}

func (p *probe) readAll(topic string, count int, options ...kgo.Opt) (records []*kgo.Record) {
	client := p.client(append([]kgo.Opt{
		kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	}, options...)...)
	defer client.Close()
	limit, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	for len(records) < count {
		fetched := client.PollFetches(limit)
		p.well(fetched.Err(), "fetch "+topic)
		records = append(records, fetched.Records()...)
	}
	return records
}

func produceAndFetch(p *probe) {
	p.topic("plain", 1)
	client := p.client(kgo.RequiredAcks(kgo.AllISRAcks()))
	defer client.Close()
	sent := &kgo.Record{
		Topic: "plain", Key: []byte("k"), Value: nil, Timestamp: time.UnixMilli(77),
		Headers: []kgo.RecordHeader{{Key: "one", Value: []byte{1}}, {Key: "none", Value: nil}},
	}
	other := &kgo.Record{Topic: "plain", Value: []byte("ümläut ✓"), Timestamp: time.UnixMilli(78)}
	limit, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	p.well(client.ProduceSync(limit, sent, other).FirstErr(), "produce")
	for _, got := range p.readAll("plain", 2) {
		p.saw(fmt.Sprint("record ", got.Offset), fmt.Sprintf("%q %q %v %d %v %d", got.Key, got.Value, got.Value == nil,
			got.Timestamp.UnixMilli(), got.Headers, got.LeaderEpoch))
	}
}
