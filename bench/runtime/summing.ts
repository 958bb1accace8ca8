/** A process that is one of several learners without a model: it sums arrays in place of gradients. */
import { PairExchange } from "../../packages/learning/learner/src/exchange.js";
import { type RankAddress, RankThreads } from "../../packages/learning/trainer/src/actors/rank-threads.js";
import { grpcNetwork, OwnBulk } from "../../packages/runtime/wire/src/index.js";

export interface Round {
  readonly seconds: number;
  readonly sentBytes: number;
  readonly cpuSeconds: number;
}

/** What the process is told: where all ranks are, or how many bytes of which type to sum. */
export type SummingOrder =
  | { readonly addresses: readonly RankAddress[] }
  | { readonly bytes: number; readonly type: "float32" | "bfloat16" };

const timeoutMs = 300_000;
/** A block of a learner's gradients. */
const blockBytes = 2 ** 26;

async function sum(peers: PairExchange, sizeBytes: number, type: "float32" | "bfloat16"): Promise<Round> {
  const all = new SharedArrayBuffer(sizeBytes);
  const blocks = Array.from({ length: Math.ceil(sizeBytes / blockBytes) }, (_, block) => {
    const at = block * blockBytes;
    const bytes = Math.min(blockBytes, sizeBytes - at);
    return type === "float32" ? new Float32Array(all, at, bytes / 4) : new Uint16Array(all, at, bytes / 2);
  });
  for (const block of blocks) block.fill(type === "float32" ? peers.rank + 1 : 0x3f80);
  const before = { cpu: process.cpuUsage(), sent: peers.stats.sentBytes, at: performance.now() };
  let earlier: Promise<void> = Promise.resolve();
  for (const block of blocks) {
    const own = peers.allReduce(block);
    await earlier;
    earlier = own;
  }
  await earlier;
  const seconds = (performance.now() - before.at) / 1000;
  const { user, system } = process.cpuUsage(before.cpu);
  const sentBytes = peers.stats.sentBytes - before.sent;
  return { seconds, sentBytes, cpuSeconds: (user + system) / 1e6 };
}

const [rank = 0, size = 1, count = 1] = process.argv.slice(2).map(Number);
const threads = new RankThreads(rank, size, timeoutMs, count);
const swap = () => Promise.reject(new Error("nothing but sums is exchanged here"));
const peers = new PairExchange(rank, size, { swap, lanes: threads.lanes });
const bulk = new OwnBulk(grpcNetwork({ token: "bench" }), { host: "127.0.0.1", ports: undefined });
const address = await threads.serve(bulk);
process.on("message", async (order: SummingOrder) => {
  if ("addresses" in order) threads.join(order.addresses);
  else process.send?.(await sum(peers, order.bytes, order.type));
});
process.once("disconnect", () => process.exit());
process.send?.(address);
