// A Muster for tests: starts `muster serve --memory --control` and speaks to its controls.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export async function startMuster() {
  const args = ["serve", "--memory", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--log-level", "error"];
  args.push("--set", "group.initial.rebalance.delay.ms=0");
  const server = spawn(process.env.MUSTER ?? "muster", args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  const lastWord = async () => (await lines.next()).value.split(" ").at(-1);
  const broker = await lastWord(); // "listening on HOST:PORT"
  const control = await lastWord(); // "control on http://HOST:PORT/"
  const ask = async (method, path, body) => {
    const reply = await fetch(new URL(path, control), { method, body: body && JSON.stringify(body) });
    const answer = await reply.json();
    if (!reply.ok) throw new Error(answer.error);
    return answer;
  };
  return { broker, ask, stop: () => server.kill("SIGTERM") };
}
