// Transactions by KafkaJS, which speaks the first transaction protocol in its oldest versions.
'use strict'

const { admin, fill, kafka, topic } = require('./clients')

async function producer(probe, transactionalId, transactionTimeout = 60000) {
  const one = kafka(probe).producer({ transactionalId, transactionTimeout, idempotent: true, maxInFlightRequests: 1 })
  await one.connect()
  return one
}

// Reads until `last` came: what stands before it and is not seen is hidden.
async function readUntil(probe, name, last, readUncommitted) {
  const consumer = kafka(probe).consumer({ groupId: `read-${name}-${readUncommitted}`, sessionTimeout: 6000, readUncommitted })
  const values = []
  await consumer.connect()
  await consumer.subscribe({ topic: name, fromBeginning: true })
  await consumer.run({ autoCommit: false, eachMessage: async ({ message }) => void values.push(String(message.value)) })
  await probe.until(`${last} came`, () => values.includes(last))
  await consumer.disconnect()
  return values
}

async function sent(one, name, value) {
  const transaction = await one.transaction()
  await transaction.send({ topic: name, messages: [{ value, partition: 0 }] })
  return transaction
}

async function commitAndAbort(probe) {
  await topic(probe, 'transactions', 1)
  const one = await producer(probe, 'tx')
  await (await sent(one, 'transactions', 'first')).commit()
  await (await sent(one, 'transactions', 'aborted')).abort()
  for (let number = 0; number < 10; number++) await (await sent(one, 'transactions', `kept ${number}`)).commit()
  await one.disconnect()
  await fill(probe, 'transactions', 1, 1)
  const kept = Array.from({ length: 10 }, (_, number) => `kept ${number}`)
  probe.same('committed', ['first', ...kept, 'transactions-0-0'], await readUntil(probe, 'transactions', 'transactions-0-0', false))
  probe.same('all', ['first', 'aborted', ...kept, 'transactions-0-0'], await readUntil(probe, 'transactions', 'transactions-0-0', true))
}

async function offsets(probe) {
  await topic(probe, 'tx-offsets', 1)
  const one = await producer(probe, 'tx-offsets')
  const commit = async (offset, end) => {
    const transaction = await sent(one, 'tx-offsets', `with ${offset}`)
    const topics = [{ topic: 'tx-offsets', partitions: [{ partition: 0, offset }] }]
    await transaction.sendOffsets({ consumerGroupId: 'tx-offsets', topics })
    await transaction[end]()
  }
  const committed = () => admin(probe, async (each) =>
    (await each.fetchOffsets({ groupId: 'tx-offsets', topics: ['tx-offsets'] }))[0].partitions[0].offset)
  await commit('3', 'abort')
  probe.same('after an abort', '-1', await committed())
  await commit('5', 'commit')
  await probe.until('after a commit', async () => (await committed()) === '5')
  await one.disconnect()
}

async function zombie(probe) {
  await topic(probe, 'tx-zombie', 1)
  const first = await producer(probe, 'tx-zombie')
  const left = await sent(first, 'tx-zombie', 'of the zombie')
  const heir = await producer(probe, 'tx-zombie')
  const next = await sent(heir, 'tx-zombie', 'of the heir') // KafkaJS asks for its epoch when a transaction begins
  await probe.fails('commit of the zombie', () => left.commit())
  await next.commit()
  probe.same('committed', ['of the heir'], await readUntil(probe, 'tx-zombie', 'of the heir', false))
  await Promise.all([first.disconnect(), heir.disconnect()])
}

async function timeout(probe) {
  await topic(probe, 'tx-late', 1)
  const one = await producer(probe, 'tx-late', 1000)
  const late = await sent(one, 'tx-late', 'too late')
  await fill(probe, 'tx-late', 1, 1)
  probe.same('committed', ['tx-late-0-0'], await readUntil(probe, 'tx-late', 'tx-late-0-0', false))
  await probe.fails('commit', () => late.commit())
  await one.disconnect()
}

module.exports = {
  'transactional producer': commitAndAbort,
  'transaction with offsets': offsets,
  'zombie is fenced by its successor': zombie,
  'transaction that is open too long': timeout,
}
