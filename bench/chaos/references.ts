/**
 * Tests references under chaos: 20,000 references are put, sent to actors on two nodes, kept, read and dropped in
 * random orders, while an actor, the head or a node is killed with SIGKILL during each thousand of them. At the end
 * every reference is dropped, and no object may be left under a lease. The bench exits with 1 otherwise, or if a copy
 * is left although no node was killed: copies of what only a killed node had stay until their space is needed.
 *
 * Usage, on built code (`npx tsc -b packages/apps/cli`):
 *   npx tsx --conditions=@palimpsest/source bench/chaos/references.ts [--references 20000] [--strikes 20]
 *     [--kinds actor,head,node] [--seed 1] [--json FILE]
 */
import { loadavg } from "node:os";
import { dropInAnyOrder, type Struck } from "../../test/support/reference-chaos.js";
import { TestCluster } from "../../test/support/test-cluster.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({
  references: "20000",
  strikes: "20",
  kinds: "actor,head,node",
  seed: "1",
  json: undefined,
});
const kinds = flags.kinds.split(",").map((kind): Struck => {
  if (kind === "actor" || kind === "head" || kind === "node") return kind;
  throw new Error(`--kinds names ${kind}: give some of actor, head and node`);
});
const strikes = Array.from(
  { length: Number(flags.strikes) },
  (_, index) => kinds[index % kinds.length] ?? "actor",
);
const cluster = await TestCluster.start({ workers: 2 });
try {
  const startedAt = performance.now();
  const { failedCalls, held, copies } = await dropInAnyOrder(cluster, {
    ...{ references: Number(flags.references), strikes, seed: flags.seed, endTimeoutMs: 180_000 },
  });
  const result = {
    measured: new Date().toISOString(),
    references: Number(flags.references),
    strikes: Object.fromEntries(kinds.map((kind) => [kind, strikes.filter((one) => one === kind).length])),
    seconds: Number(((performance.now() - startedAt) / 1_000).toFixed(1)),
    loadAtEnd: Number((loadavg()[0] ?? 0).toFixed(1)),
    failedCalls,
    held,
    copies: copies.length,
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (flags.json) writeResult(flags.json, result);
  if (held.length > 0 || (copies.length > 0 && !kinds.includes("node"))) process.exitCode = 1;
} finally {
  const orphans = await cluster.stop();
  if (orphans.length > 0) process.stdout.write(`left running: ${orphans.join("; ")}\n`);
}
