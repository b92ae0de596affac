// Makes clients and members of groups with settings that suit a test.
'use strict'

const { Kafka, logLevel } = require('kafkajs')

const kafka = (probe) =>
  new Kafka({
    clientId: 'conformance',
    brokers: [probe.bootstrap],
    logLevel: logLevel.NOTHING,
    retry: { retries: 3, initialRetryTime: 100 },
  })

async function admin(probe, use) {
  const one = kafka(probe).admin()
  await one.connect()
  try {
    return await use(one)
  } finally {
    await one.disconnect()
  }
}

const topic = (probe, name, numPartitions) =>
  admin(probe, (each) => each.createTopics({ topics: [{ topic: name, numPartitions }], waitForLeaders: true }))

// Writes `each` records to every partition, with timestamps 1000, 1001, ...
async function fill(probe, name, partitions, each, settings = {}) {
  const producer = kafka(probe).producer(settings)
  await producer.connect()
  const messages = []
  for (let number = 0; number < each; number++) {
    for (let partition = 0; partition < partitions; partition++) {
      messages.push({ partition, key: `k${number}`, value: `${name}-${partition}-${number}`, timestamp: String(1000 + number) })
    }
  }
  await producer.send({ topic: name, messages })
  await producer.disconnect()
}

// A consumer at work: what it holds, what it has read, how often it joined.
class Member {
  constructor(probe, groupId, settings = {}) {
    this.consumer = kafka(probe).consumer({
      groupId,
      sessionTimeout: 6000,
      heartbeatInterval: 300,
      rebalanceTimeout: 10000,
      ...settings,
    })
    this.partitions = []
    this.values = new Set()
    this.joins = []
    this.crash = null
    this.consumer.on(this.consumer.events.GROUP_JOIN, ({ payload }) => {
      this.partitions = Object.values(payload.memberAssignment).flat()
      this.joins.push({ leader: payload.isLeader, protocol: payload.groupProtocol, partitions: this.partitions.length })
    })
    this.consumer.on(this.consumer.events.CRASH, ({ payload }) => {
      this.crash = payload.error
    })
  }

  async start(name, autoCommit = false) {
    await this.consumer.connect()
    await this.consumer.subscribe({ topic: name, fromBeginning: true })
    await this.consumer.run({
      autoCommit,
      eachMessage: async ({ message }) => {
        this.values.add(String(message.value))
      },
    })
    return this
  }

  stop() {
    return this.consumer.disconnect()
  }
}

module.exports = { Member, admin, fill, kafka, topic }
