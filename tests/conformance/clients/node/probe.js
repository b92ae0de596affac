// Says what was found, in the lines that the runner reads.
'use strict'

const PATIENCE_MS = 30000 // only ends a test that has failed

const plain = (value) => String(value).replace(/\s+/g, ' ')
const say = (...fields) => process.stdout.write(fields.map(plain).join('\t') + '\n')

class Probe {
  constructor(bootstrap, feature) {
    this.bootstrap = bootstrap
    this.feature = feature
  }

  saw(what, value) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    say('@saw', this.feature, what, text.replace(/:\d{4,5}\b/g, ':PORT'))
  }

  holds(condition, what) {
    if (!condition) throw new Error(what)
  }

  same(what, expected, got) {
    const [left, right] = [JSON.stringify(expected), JSON.stringify(got)]
    this.holds(left === right, `${what}: expected ${left}, got ${right}`)
  }

  async fails(what, action) {
    let error = null
    try {
      await action()
    } catch (problem) {
      error = problem
    }
    this.holds(error !== null, `${what} should fail but did not`)
    const inner = error.errors && error.errors.length ? error.errors[0] : error
    this.saw(what, `${inner.name} ${inner.type || ''} ${(inner.groups || []).map((each) => each.error && each.error.type)}`)
    return error
  }

  async until(what, condition) {
    const end = Date.now() + PATIENCE_MS
    while (!(await condition())) {
      if (Date.now() > end) throw new Error(`still not after ${PATIENCE_MS} ms: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

async function check(bootstrap, name, feature) {
  const began = Date.now()
  const probe = new Probe(bootstrap, name)
  const limit = new Promise((_, reject) => {
    setTimeout(() => reject(new Error('not done after 60 s')), 60000).unref()
  })
  try {
    await Promise.race([feature(probe), limit])
    say('@pass', name)
  } catch (error) {
    const refused = error.type === 'UNSUPPORTED_VERSION' || error.name === 'KafkaJSServerDoesNotSupportApiKey'
    say(refused ? '@refused' : '@fail', name, `${error.name}: ${error.message}`)
    if (!refused) say(error.stack)
  }
  say(`${name} took ${Date.now() - began} ms`)
}

module.exports = { Probe, check }
