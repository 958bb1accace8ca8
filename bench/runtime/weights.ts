/**
 * Measures how long weights of 1 GB take from a learner to four actors on its host, all real processes: from the first
 * byte that is written until the last actor has loaded and verified them. Each round publishes new weights and releases
 * those before the last, as a run does. Actors load into the arrays of the previous version and, as in the first load
 * of a run, into new ones. Prints a table; with --json FILE it also writes the figures. Needs built code: `npx tsc -b
 * packages/apps/cli`.
 *
 * Usage: npx tsx bench/runtime/weights.ts [--rounds 5] [--megabytes 1000] [--actors 4] [--json FILE]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import * as proto from "@palimpsest/wire/protocol";
import { HeldWeights } from "../../packages/learning/trainer/src/weights/held-weights.js";
import { PutWeights } from "../../packages/learning/trainer/src/weights/put-weights.js";
import { publishWeights } from "../../packages/learning/trainer/src/weights/weights.js";
import { TestCluster } from "../../test/support/test-cluster.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { WeightsLoader } from "./weights-loader.js";

const flags = benchFlags({ rounds: "5", megabytes: "1000", actors: "4", json: undefined });
const rounds = Number(flags.rounds);
const tensorBytes = 20_000_000;
const tensorCount = Math.round((Number(flags.megabytes) * 1e6) / tensorBytes);
const parameters = Object.fromEntries(
  Array.from({ length: tensorCount }, (_, index) => [
    `layers.${String(index).padStart(3, "0")}`,
    new Float32Array(tensorBytes / Float32Array.BYTES_PER_ELEMENT).fill(index),
  ]),
);

interface Round {
  readonly publishSeconds: number;
  readonly loadSeconds: number;
  readonly seconds: number;
}

const folder = mkdtempSync(join(tmpdir(), "palimpsest-weights-"));
const cluster = await TestCluster.start({ workers: 1 });
const figures: Record<"reused" | "new", Round[]> = { reused: [], new: [] };
try {
  const { objects } = cluster.client;
  // The notes are written to the disk, as a learner does it.
  const put = await PutWeights.open(objects, join(folder, "weight-objects.json"), (write) => write());
  const held = new HeldWeights(put, proto.WeightManifest.create({}), (reason) => console.log(String(reason)));
  const type = cluster.client.actor(
    WeightsLoader,
    { from: new URL("./weights-loader.ts", import.meta.url) },
    { resources: { cpu: 0.1 } },
  );
  const weightsUrl = new URL("../../packages/learning/trainer/dist/weights/weights.js", import.meta.url).href;
  const actors = await Promise.all(
    Array.from({ length: Number(flags.actors) }, () => type.spawn(weightsUrl)),
  );
  let policyVersion = 0;
  for (const memory of ["reused", "new"] as const) {
    // Two more rounds create the arrays and files that later rounds reuse, and are not counted.
    for (let round = -2; round < rounds; round++) {
      policyVersion++;
      for (const values of Object.values(parameters)) values[0] = policyVersion;
      const startedAt = performance.now();
      const version = { runId: "bench", policyVersion };
      const manifest = await publishWeights(put, version, parameters, {});
      const publishedAt = performance.now();
      const loaded = await Promise.all(
        actors.map((actor) => actor.load({ ...manifest }, memory === "reused")),
      );
      const endedAt = performance.now();
      if (loaded.some((value) => value !== policyVersion)) throw new Error(`loaded ${loaded}`);
      held.add(manifest);
      await held.settled();
      if (round < 0) continue;
      figures[memory].push({
        publishSeconds: (publishedAt - startedAt) / 1000,
        loadSeconds: (endedAt - publishedAt) / 1000,
        seconds: (endedAt - startedAt) / 1000,
      });
    }
  }
} finally {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}
const rows = Object.entries(figures).map(([memory, measured]) => ({
  "loaded into": memory === "reused" ? "arrays of the version before" : "new arrays",
  "publish s": median(measured.map(({ publishSeconds }) => publishSeconds)).toFixed(2),
  "load s": median(measured.map(({ loadSeconds }) => loadSeconds)).toFixed(2),
  "together p50 s": median(measured.map(({ seconds }) => seconds)).toFixed(2),
  rounds: measured.map(({ seconds }) => seconds.toFixed(2)).join(" "),
}));
console.table(rows);
if (flags.json !== undefined) {
  const report = { bytes: tensorCount * tensorBytes, actors: Number(flags.actors), figures };
  const machine = { cpus: cpus().length, node: process.version };
  writeResult(flags.json, { ...report, ...machine });
}
