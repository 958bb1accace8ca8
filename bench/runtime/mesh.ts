/**
 * Measures one call to a mesh of light actors on two nodes of this machine: to all of them, and to those of one node.
 * Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime/mesh.ts [--count 1000] [--calls 200] [--json FILE] [--note TEXT]
 */
import { cpus, loadavg } from "node:os";
import { TestCluster } from "../../test/support/test-cluster.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { Echo } from "./echo.js";

const flags = benchFlags({ count: "1000", calls: "200", json: undefined, note: "" });
const lanes = Number(flags.count) / 2;
const calls = Number(flags.calls);

const loadBefore = loadavg();
const cluster = await TestCluster.start({ workers: 2 });
try {
  const source = { from: new URL("./echo.ts", import.meta.url) };
  const type = cluster.client.mesh(Echo, source, { shape: { node: 2, lane: lanes }, process: "shared" });
  const spawnedAt = performance.now();
  const mesh = await type.spawn();
  await mesh.broadcast.echo("ok");
  const spawnedMs = performance.now() - spawnedAt;

  async function quantiles(call: () => Promise<readonly { readonly status: string }[]>, size: number) {
    const tookMs: number[] = [];
    for (let index = 0; index < calls; index++) {
      const startedAt = performance.now();
      const results = await call();
      tookMs.push(performance.now() - startedAt);
      const failed = results.filter(({ status }) => status !== "ok").length;
      if (results.length !== size || failed > 0) throw new Error(`${failed} of ${results.length} failed`);
    }
    tookMs.sort((a, b) => a - b);
    const at = (share: number) => Number((tookMs[Math.floor(tookMs.length * share)] ?? 0).toFixed(2));
    return { p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99) };
  }

  const all = await quantiles(() => mesh.call.echo("ok"), lanes * 2);
  const slice = mesh.slice({ node: 0 });
  const figures = {
    ...{ members: lanes * 2, nodes: 2, calls, note: flags.note, cpus: cpus().length },
    ...{ loadBefore, loadAfter: loadavg(), node: process.version, spawnedMs: Math.round(spawnedMs) },
    all,
    oneNode: await quantiles(() => slice.call.echo("ok"), lanes),
  };
  console.log(JSON.stringify(figures, undefined, 2));
  if (flags.json) writeResult(flags.json, figures);
} finally {
  await cluster.stop();
}
