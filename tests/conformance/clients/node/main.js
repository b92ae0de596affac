// Tries KafkaJS at one broker: `node main.js host:port [part of a feature's name]`.
'use strict'

const { CompressionTypes, PartitionAssigners } = require('kafkajs')
const { Member, admin, fill, kafka, topic } = require('./clients')
const { check } = require('./probe')
const transactions = require('./transactions')

async function read(probe, name, count) {
  const consumer = kafka(probe).consumer({ groupId: `read-${name}`, sessionTimeout: 6000 })
  const messages = []
  await consumer.connect()
  await consumer.subscribe({ topic: name, fromBeginning: true })
  await consumer.run({ autoCommit: false, eachMessage: async ({ message }) => void messages.push(message) })
  await probe.until(`${count} records came`, () => messages.length >= count)
  await consumer.disconnect()
  return messages
}

async function producer(probe) {
  await topic(probe, 'sent', 1)
  const one = kafka(probe).producer()
  await one.connect()
  const headers = { one: Buffer.from([1, 2]), text: 'x' }
  await one.send({ topic: 'sent', acks: -1, messages: [{ key: 'k', value: 'ümläut ✓', headers, timestamp: '77' }] })
  await one.send({ topic: 'sent', acks: 1, messages: [{ key: null, value: null, timestamp: '78' }] })
  await one.send({ topic: 'sent', acks: 0, messages: [{ value: 'unacknowledged', timestamp: '79' }] })
  await one.disconnect()
  probe.saw('records', (await read(probe, 'sent', 3)).map(({ offset, key, value, headers: seen, timestamp }) =>
    ({ offset, key: key && String(key), value: value && String(value), headers: seen, timestamp })))
}

async function gzip(probe) {
  await topic(probe, 'gzip', 1)
  const one = kafka(probe).producer()
  await one.connect()
  const messages = Array.from({ length: 300 }, (_, number) => ({ value: `${number} ${'x'.repeat(50)}` }))
  await one.send({ topic: 'gzip', compression: CompressionTypes.GZIP, messages })
  await one.disconnect()
  const back = await read(probe, 'gzip', 300)
  probe.holds(back.every((each, number) => String(each.value).startsWith(`${number} `)), 'records are in order')
}

async function idempotent(probe) {
  await topic(probe, 'idempotent', 2)
  await fill(probe, 'idempotent', 2, 100, { idempotent: true, maxInFlightRequests: 1 })
  const offsets = await admin(probe, (each) => each.fetchTopicOffsets('idempotent'))
  probe.same('ends', ['100', '100'], offsets.map((each) => each.high))
}

async function twoMembers(probe) {
  await topic(probe, 'shared', 4)
  const first = await new Member(probe, 'shared', { partitionAssigners: [PartitionAssigners.roundRobin] }).start('shared')
  await probe.until('the first has all four', () => first.partitions.length === 4)
  const second = await new Member(probe, 'shared', { partitionAssigners: [PartitionAssigners.roundRobin] }).start('shared')
  await probe.until('two each', () => first.partitions.length === 2 && second.partitions.length === 2)
  await fill(probe, 'shared', 4, 10)
  await probe.until('all records came', () => first.values.size + second.values.size === 40)
  await second.stop()
  await probe.until('the first has all again', () => first.partitions.length === 4)
  probe.saw('joins of the first', first.joins)
  await first.stop()
  probe.same('nobody crashed', [null, null], [first.crash, second.crash])
}

async function resume(probe) {
  await topic(probe, 'resume', 1)
  await fill(probe, 'resume', 1, 10)
  const first = await new Member(probe, 'resume').start('resume', true)
  await probe.until('it read all', () => first.values.size === 10)
  await first.stop()
  probe.saw('committed', await admin(probe, (each) => each.fetchOffsets({ groupId: 'resume', topics: ['resume'] })))
  await fill(probe, 'resume', 1, 1)
  const seen = []
  const again = kafka(probe).consumer({ groupId: 'resume', sessionTimeout: 6000 })
  await again.connect()
  await again.subscribe({ topic: 'resume', fromBeginning: true })
  await again.run({ eachMessage: async ({ message }) => void seen.push(message.offset) })
  await probe.until('a record came', () => seen.length > 0)
  await again.disconnect()
  probe.same('goes on at', ['10'], seen)
}

async function seekAndPause(probe) {
  await topic(probe, 'seek', 1)
  await fill(probe, 'seek', 1, 10)
  const seen = []
  const one = kafka(probe).consumer({ groupId: 'seek', sessionTimeout: 6000 })
  await one.connect()
  await one.subscribe({ topic: 'seek', fromBeginning: true })
  await one.run({ autoCommit: false, eachMessage: async ({ message }) => void seen.push(Number(message.offset)) })
  one.seek({ topic: 'seek', partition: 0, offset: '7' })
  await probe.until('three came', () => seen.length >= 3)
  await one.disconnect()
  probe.same('from 7 on', [7, 8, 9], seen.slice(0, 3))
}

async function adminTopics(probe) {
  await admin(probe, async (each) => {
    probe.same('made', true, await each.createTopics({ topics: [{ topic: 'made', numPartitions: 2 }] }))
    probe.same('made again', false, await each.createTopics({ topics: [{ topic: 'made', numPartitions: 2 }] }))
    probe.holds((await each.listTopics()).includes('made'), 'it is listed')
    await each.createPartitions({ topicPartitions: [{ topic: 'made', count: 3 }] })
    await probe.until('three partitions', async () =>
      (await each.fetchTopicMetadata({ topics: ['made'] })).topics[0].partitions.length === 3)
    await fill(probe, 'made', 3, 5)
    probe.saw('offsets', await each.fetchTopicOffsets('made'))
    probe.saw('offsets by time', await each.fetchTopicOffsetsByTimestamp('made', 1003))
    await each.deleteTopicRecords({ topic: 'made', partitions: [{ partition: 0, offset: '2' }] })
    probe.saw('offsets after a deletion', await each.fetchTopicOffsets('made'))
    await each.deleteTopics({ topics: ['made'] })
    await probe.until('it is gone', async () => !(await each.listTopics()).includes('made'))
    await probe.fails('bad name', () => each.createTopics({ topics: [{ topic: 'a/b' }] }))
  })
}

async function adminConfigs(probe) {
  await topic(probe, 'configured', 1)
  await admin(probe, async (each) => {
    const resource = { type: 2, name: 'configured' }
    await each.alterConfigs({ resources: [{ ...resource, configEntries: [{ name: 'retention.ms', value: '5000' }] }] })
    await probe.until('the change is seen', async () => {
      const { resources } = await each.describeConfigs({ resources: [{ ...resource, configNames: ['retention.ms'] }] })
      return resources[0].configEntries[0].configValue === '5000'
    })
  })
}

async function adminGroups(probe) {
  await topic(probe, 'grouped', 2)
  await fill(probe, 'grouped', 2, 4)
  const member = await new Member(probe, 'grouped').start('grouped')
  await probe.until('it has both', () => member.partitions.length === 2)
  await admin(probe, async (each) => {
    probe.saw('listed', (await each.listGroups()).groups.filter(({ groupId }) => groupId === 'grouped'))
    const [group] = (await each.describeGroups(['grouped'])).groups
    probe.saw('described', [group.state, group.protocol, group.protocolType, group.members.length, group.errorCode])
    probe.saw('member', [group.members[0].clientId, group.members[0].clientHost])
    await probe.fails('delete with a member', () => each.deleteGroups(['grouped']))
    await member.stop()
    await each.setOffsets({ groupId: 'grouped', topic: 'grouped', partitions: [{ partition: 0, offset: '3' }] })
    probe.saw('offsets', await each.fetchOffsets({ groupId: 'grouped', topics: ['grouped'] }))
    await each.resetOffsets({ groupId: 'grouped', topic: 'grouped', earliest: true })
    probe.saw('offsets after a reset', await each.fetchOffsets({ groupId: 'grouped', topics: ['grouped'] }))
    await each.deleteGroups(['grouped'])
    probe.saw('unknown', (await each.describeGroups(['grouped'])).groups.map(({ state, errorCode }) => [state, errorCode]))
    await probe.fails('delete again', () => each.deleteGroups(['grouped']))
  })
}

async function adminCluster(probe) {
  await admin(probe, async (each) => {
    const { brokers, controller } = await each.describeCluster()
    probe.saw('cluster', [brokers.map(({ nodeId, host }) => [nodeId, host]), controller])
  })
}

const FEATURES = {
  'producer': producer,
  'gzip': gzip,
  'idempotent producer': idempotent,
  'group of two members': twoMembers,
  'offsets resume after a restart': resume,
  'seek': seekAndPause,
  'admin: topics': adminTopics,
  'admin: configs': adminConfigs,
  'admin: groups and offsets': adminGroups,
  'admin: cluster': adminCluster,
  ...transactions,
}

async function main([bootstrap, only = '']) {
  for (const [name, feature] of Object.entries(FEATURES)) {
    if (name.includes(only)) await check(bootstrap, name, feature)
  }
  process.exit(0)
}

main(process.argv.slice(2))
