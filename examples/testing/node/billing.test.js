// Node's own test runner and KafkaJS: npm install && npm test
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import kafkajs from "kafkajs";
import { startMuster } from "./muster.js";

const { Kafka, logLevel } = kafkajs;
let muster;

before(async () => { muster = await startMuster(); });
after(() => muster.stop());
beforeEach(async () => {
  await muster.ask("POST", "reset");
  await muster.ask("POST", "topics", { name: "orders", partitions: 1 });
});

function consumer() {
  const kafka = new Kafka({ brokers: [muster.broker], logLevel: logLevel.NOTHING });
  return kafka.consumer({ groupId: "billing", heartbeatInterval: 100 });
}

test("every order is billed", async () => {
  await muster.ask("POST", "topics/orders/records", { records: [{ value: "tea" }, { value: "pots" }] });
  const billing = consumer();
  await billing.connect();
  await billing.subscribe({ topic: "orders", fromBeginning: true });
  const billed = [];
  await new Promise((done, failed) => {
    const eachMessage = async ({ message }) => {
      billed.push(message.value.toString());
      if (billed.length === 2) done();
    };
    billing.run({ eachMessage }).catch(failed);
  });
  await billing.disconnect();
  assert.deepEqual(billed, ["tea", "pots"]);
});

test("a member without heartbeats loses its place", async () => {
  const billing = consumer();
  await billing.connect();
  await billing.subscribe({ topic: "orders" });
  await billing.run({ eachMessage: async () => {} });
  await muster.ask("GET", "groups/billing/wait?state=Stable&members=1");
  await muster.ask("POST", "clock/advance", { minutes: 10 });
  const { lines } = await muster.ask("GET", "groups/billing/explain");
  await billing.disconnect();
  assert.match(lines.join("\n"), /no heartbeat within the session timeout/);
});
