/**
 * Trains the quickstart's agent on a cluster of six hosts (network namespaces of this machine) while faults are
 * injected one after the other, and measures how long training takes to continue after each.
 *
 * Faults come at random moments, spread evenly over the time, whether or not the earlier ones have healed. Each is
 * injected, held and healed, and counts as recovered when training has made two more steps. At the end the run's ledger
 * is compared with the steps: every group was trained once, failed and was counted, or is outstanding.
 *
 * Usage, as root on Linux with ip, nft and ss, on built code (`npx tsc -b packages/apps/cli`):
 *   npx tsx --conditions=@palimpsest/source bench/chaos/run.ts [--minutes 30] [--faults 200] [--seed 1] [--json FILE]
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createRandom } from "../../packages/runtime/std/src/random/index.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { ChaosCluster } from "./cluster.js";
import { type Fault, faults, type Random } from "./faults.js";
import { type FaultRecord, reportTable } from "./report.js";

const flags = benchFlags({ minutes: "30", faults: "200", seed: "1", only: undefined, json: undefined });
const recipe = fileURLToPath(new URL("../../recipes/quickstart.yaml", import.meta.url));
const pollMs = 50;
/** A run that makes no step for this long is considered unable to recover by itself. */
const hopelessMs = 240_000;

async function untilStep(cluster: ChaosCluster, step: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    if (!cluster.driver.running) return false;
    if ((cluster.steps().at(-1)?.step ?? 0) >= step) return true;
    await delay(pollMs);
  }
  return false;
}

async function strike(cluster: ChaosCluster, fault: Fault, random: Random): Promise<FaultRecord | undefined> {
  const before = cluster.steps().at(-1)?.step ?? 0;
  const startedAt = performance.now();
  const injected = await fault.inject(cluster, random);
  if (injected === undefined) return undefined;
  const injectedAt = performance.now();
  // The first step after the fault may have been nearly done when the fault came, so the second one counts.
  const next = untilStep(cluster, before + 2, injected.holdMs + hopelessMs).then((went) => ({
    went,
    at: performance.now(),
  }));
  // Frozen sockets are thawed as soon as training continues; every other fault is held for its full time.
  await (fault.kind.startsWith("frozen")
    ? Promise.race([delay(injected.holdMs), next])
    : delay(injected.holdMs));
  injected.heal();
  const healedAt = performance.now();
  const { went, at } = await next;
  return {
    kind: fault.kind,
    target: injected.target,
    atSeconds: (startedAt - beganAt) / 1000,
    holdSeconds: (healedAt - injectedAt) / 1000,
    afterInjectionSeconds: (at - injectedAt) / 1000,
    afterHealSeconds: Math.max(0, at - healedAt) / 1000,
    wentOn: went,
  };
}

const random = createRandom(Number(flags.seed)).float;
const folder = mkdtempSync(join(tmpdir(), "palimpsest-chaos-"));
process.stdout.write(`logs in ${folder}\n`);
let beganAt = performance.now();
const records: FaultRecord[] = [];
const cluster = new ChaosCluster(folder, recipe);
process.once("SIGINT", () => {
  cluster.close();
  process.exit(130);
});
try {
  if (!(await untilStep(cluster, 3, 180_000)))
    throw new Error(`training did not start:\n${cluster.driver.output}`);
  beganAt = performance.now();
  const endAt = beganAt + Number(flags.minutes) * 60_000;
  const kinds = faults.filter(({ kind }) => flags.only === undefined || kind.includes(flags.only));
  const gapMs = (endAt - beganAt) / Number(flags.faults);
  let bag: Fault[] = [];
  let stuck = false;
  const strikes = new Set<Promise<void>>();
  const report = (record: FaultRecord | undefined) => {
    if (record === undefined) return;
    records.push(record);
    if (!record.wentOn) stuck = true;
    process.stdout.write(
      `${records.length}. ${record.atSeconds.toFixed(0)} s  ${record.kind} (${record.target}), held ` +
        `${record.holdSeconds.toFixed(1)} s: next step ${record.afterInjectionSeconds.toFixed(1)} s after it, ` +
        `${record.afterHealSeconds.toFixed(1)} s after its end${record.wentOn ? "" : "  DID NOT GO ON"}\n`,
    );
  };
  for (let nextAt = beganAt; nextAt < endAt && !stuck; ) {
    // Every kind comes once before any comes again.
    if (bag.length === 0) bag = [...kinds].sort(() => random() - 0.5);
    const strikeNow = strike(cluster, bag.pop() as Fault, random).then(report);
    strikes.add(strikeNow);
    void strikeNow.finally(() => strikes.delete(strikeNow));
    // A fault that finds nothing to hit does not count, so faults are scheduled a little faster than requested.
    nextAt += gapMs * (0.4 + random());
    await delay(Math.max(0, nextAt - performance.now()));
  }
  await Promise.all(strikes);
  const minutes = (performance.now() - beganAt) / 60_000;
  cluster.driver.signal("SIGINT");
  for (let waited = 0; cluster.driver.running && waited < 60_000; waited += pollMs) await delay(pollMs);
  const steps = cluster.steps();
  const { groups, episodes } = await cluster.ledger();
  const trainedBySteps = steps.reduce((sum, { update }) => sum + update.groups, 0);
  const balanced =
    groups.dispatched === groups.trained + groups.failed + groups.outstanding &&
    groups.trained === trainedBySteps;
  const result = {
    seed: Number(flags.seed),
    minutes: Number(minutes.toFixed(1)),
    faults: records.length,
    wentOn: records.every(({ wentOn }) => wentOn),
    steps: steps.at(-1)?.step ?? 0,
    ledger: { groups, episodes, trainedBySteps, balanced },
    kinds: reportTable(records),
  };
  process.stdout.write(`${result.kinds.text}\n`);
  process.stdout.write(
    `${result.faults} faults in ${result.minutes} min, ${result.steps} steps; ledger ${balanced ? "balanced" : "NOT BALANCED"}: ` +
      `${groups.dispatched} dispatched = ${groups.trained} trained + ${groups.failed} failed + ${groups.outstanding} outstanding\n`,
  );
  if (flags.json) {
    const { text: _text, ...kinds } = result.kinds;
    writeResult(flags.json, { ...result, kinds: kinds.rows, records });
  }
  if (!balanced || !result.wentOn) process.exitCode = 1;
} finally {
  cluster.close();
}
