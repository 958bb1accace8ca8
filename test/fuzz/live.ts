/**
 * Sends damaged messages to the servers of a running cluster: head, node and actor. Every process must stay alive,
 * answer, and not grow.
 *
 * Usage, on built code: npx tsx --conditions=@palimpsest/source test/fuzz/live.ts [--messages 100000] [--seed 1]
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createRandom } from "@palimpsest/trajectories/random";
import { fromGrpcError, grpcNetwork, type Peer } from "@palimpsest/wire";
import { isAlive } from "../support/processes.js";
import { TestCluster } from "../support/test-cluster.js";
import { WordCounter } from "../support/word-counter.js";
import { methodSeeds } from "./decoders.js";
import { mutate } from "./mutate.js";

const { values: flags } = parseArgs({
  options: { messages: { type: "string", default: "100000" }, seed: { type: "string", default: "1" } },
});
const callsAtOnce = 64;
const callTimeoutMs = 5_000;
const source = { from: new URL("../support/word-counter.ts", import.meta.url) };

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

const codeOf = (reason: unknown) => fromGrpcError(reason).code;

const cluster = await TestCluster.start();
try {
  const counter = await cluster.client.actor(WordCounter, source, { detached: true }).spawn(1);
  const { pid: actorPid } = await counter.place();
  const [actor] = await cluster.client.actors();
  const [node] = await cluster.client.nodes();
  const addresses: Readonly<Record<string, string>> = {
    ActorHost: actor?.address ?? "",
    Objects: node?.objectsAddress ?? "",
  };
  const watched = new Map([
    ["head", cluster.head.pid],
    ["node", cluster.workers[0]?.pid ?? 0],
    ["actor", actorPid],
  ]);
  // Head.Shutdown is left out, because ending the head is its purpose.
  const targets = methodSeeds.filter(({ method }) => method.name !== "Head.Shutdown");
  const network = grpcNetwork({ token: cluster.token });
  const peers = new Map<string, Peer>();
  const peerOf = (service: string) => {
    const address = addresses[service] ?? cluster.address;
    const known = peers.get(address) ?? network.connect(address);
    peers.set(address, known);
    return known;
  };
  const random = createRandom(Number(flags.seed)).float;
  const outcomes = new Map<string, number>();

  /** Sends one call with one damaged message, and resolves with the name of its outcome. */
  function send({ method, seeds }: (typeof targets)[number]): Promise<string> {
    const bytes = Buffer.from(mutate(seeds, random));
    const peer = peerOf(method.name.split(".")[0] ?? "");
    const raw = { ...method, requestSerialize: () => bytes };
    if (!method.requestStream && !method.responseStream) {
      return peer.unary(raw, {}, { timeoutMs: callTimeoutMs }).then(() => "answered", codeOf);
    }
    return new Promise((resolve) => {
      const stream = peer.bidi(raw, { timeoutMs: callTimeoutMs });
      stream.on("data", () => undefined);
      stream.on("error", (reason) => resolve(codeOf(reason)));
      stream.on("end", () => resolve("answered"));
      stream.write({});
      stream.end();
    });
  }

  const messages = Number(flags.messages);
  const before = new Map([...watched].map(([name, pid]) => [name, residentMiB(pid)]));
  let atQuarter = new Map<string, number>();
  let sent = 0;
  async function sendAll(): Promise<void> {
    while (sent < messages) {
      const target = targets[sent++ % targets.length] as (typeof targets)[number];
      const outcome = await send(target);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (sent === Math.floor(messages / 4))
        atQuarter = new Map([...watched].map(([name, pid]) => [name, residentMiB(pid)]));
    }
  }
  await Promise.all(Array.from({ length: callsAtOnce }, sendAll));
  for (const [name, pid] of watched) {
    const line = [before.get(name), atQuarter.get(name), isAlive(pid) ? residentMiB(pid) : Number.NaN]
      .map((mebibytes) => (mebibytes ?? Number.NaN).toFixed(0))
      .join(" → ");
    process.stdout.write(
      `${name} ${isAlive(pid) ? "lives" : "IS DEAD"}: ${line} MiB (before, at a quarter, at the end)\n`,
    );
    if (!isAlive(pid)) process.exitCode = 1;
  }
  process.stdout.write(
    `${messages} messages: ${[...outcomes].map(([name, count]) => `${name} ${count}`).join(", ")}\n`,
  );
  process.stdout.write(`the actor still answers: ${await counter.add("red")}\n`);
  for (const peer of peers.values()) peer.close();
} finally {
  const orphans = await cluster.stop();
  if (orphans.length > 0) process.stdout.write(`left running: ${orphans.join("; ")}\n`);
}
