/**
 * Measures what a rolling upgrade costs its callers: a head with a standby and three workers of the version before, actors
 * that are called at a fixed rate whatever they answer, and `palimpsest upgrade run` meanwhile. Counts calls that were lost
 * or ran twice, and the time from when a call was due to its answer. Needs built code, the repository's history and
 * redis-server.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/runtime/upgrade.ts [--rate 5000] [--actors 4] [--json FILE]
 */
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@palimpsest/client";
import { ownProtocols } from "@palimpsest/wire";
import { CallLedger } from "../../test/support/call-ledger.js";
import { removeFolder } from "../../test/support/temporary-folder.js";
import { UpgradeCluster } from "../../test/support/upgrade-cluster.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const { oldBuild } = (await import(new URL("../../scripts/old-build.mjs", import.meta.url).href)) as {
  oldBuild: () => string | undefined;
};
const flags = benchFlags({ rate: "5000", actors: "4", workers: "3", json: undefined });
const [rate, actorCount, workerCount] = [flags.rate, flags.actors, flags.workers].map(Number) as [
  number,
  number,
  number,
];
const source = { from: new URL("../../test/support/call-ledger.ts", import.meta.url) };
/** Calls are sent in batches this often. */
const everyMs = 10;
/** The load before and after the upgrade. */
const aroundMs = 10_000;

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

class Load {
  readonly latencies: number[] = [];
  /** The times at which calls were answered, with how long they took. */
  readonly #calls: ((call: number) => Promise<number>)[];
  readonly failures = new Map<string, number>();
  sent = 0;
  #stopped = false;
  #open = 0;

  constructor(calls: ((call: number) => Promise<number>)[]) {
    this.#calls = calls;
  }

  /** Sends what is due until stop(). */
  async run(): Promise<void> {
    const beganAt = performance.now();
    while (!this.#stopped) {
      const due = Math.floor(((performance.now() - beganAt) / 1_000) * rate);
      for (; this.sent < due; this.sent++) this.#send(this.sent, beganAt + (this.sent / rate) * 1_000);
      await delay(everyMs);
    }
    while (this.#open > 0) await delay(everyMs);
  }

  stop(): void {
    this.#stopped = true;
  }

  #send(call: number, dueAt: number): void {
    this.#open++;
    const ask = this.#calls[call % this.#calls.length];
    void ask?.(call)
      .then(
        () => void this.latencies.push(performance.now() - dueAt),
        (reason: unknown) => {
          const text = reason instanceof Error ? reason.message : String(reason);
          this.failures.set(text, (this.failures.get(text) ?? 0) + 1);
        },
      )
      .finally(() => {
        this.#open--;
      });
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}

const old = oldBuild();
if (old === undefined) throw new Error("this clone has no commit of the version before: fetch its history");
const folder = mkdtempSync(join(tmpdir(), "palimpsest-upgrade-"));
const cluster = await UpgradeCluster.start({ program: old }, folder);
try {
  const [first, second] = [await freeAddress(), await freeAddress()];
  const both = `${first},${second}`;
  await cluster.head("head-1", first);
  for (let index = 1; index <= workerCount; index++) await cluster.worker(`worker-${index}`, both, 2);
  cluster.installed = {};
  await cluster.head("head-2", second);
  const client = await connect({ address: both, token: cluster.token, name: "upgrade" });
  const paths = Array.from({ length: actorCount }, (_, index) => join(folder, `ledger-${index}`));
  const actors = await Promise.all(
    paths.map((path) =>
      client
        .actor(CallLedger, source, {
          maxRestarts: -1,
          maxTaskRetries: -1,
          strategy: "spread",
          resources: { cpu: 0.25 },
        })
        .spawn(path),
    ),
  );
  await Promise.all(actors.map((actor) => actor.ready()));
  const load = new Load(actors.map((actor) => (call) => actor.note(call)));
  const running = load.run();
  await delay(aroundMs);
  const before = load.latencies.length;
  const beganAt = performance.now();
  const upgrade = await cluster.run(["upgrade", "run", "--address", both], {});
  const seconds = (performance.now() - beganAt) / 1_000;
  const during = load.latencies.length;
  await delay(aroundMs);
  load.stop();
  await running;
  const versions = (await client.nodes({ states: ["alive"] })).map(({ protocols }) => protocols.max);
  await client.close();
  const ran = paths.flatMap((path) => readFileSync(path, "utf8").trim().split("\n")).map(Number);
  const result = {
    measured: new Date().toISOString(),
    node: process.version,
    ratePerSecond: rate,
    answeredPerSecondBefore: Math.round(before / (aroundMs / 1_000)),
    upgradeSeconds: Math.round(seconds),
    exitCode: upgrade.code,
    nodesOfNewProtocol: versions.filter((max) => max === ownProtocols().max).length,
    calls: load.sent,
    callsDuringUpgrade: during - before,
    lost: load.sent - load.latencies.length,
    doubled: ran.length - new Set(ran).size,
    neverRan: load.sent - new Set(ran).size,
    beforeMs: {
      p50: percentile(load.latencies.slice(0, before), 0.5),
      p99: percentile(load.latencies.slice(0, before), 0.99),
    },
    duringMs: {
      p50: percentile(load.latencies.slice(before, during), 0.5),
      p99: percentile(load.latencies.slice(before, during), 0.99),
      max: percentile(load.latencies.slice(before, during), 1),
    },
    failures: Object.fromEntries(load.failures),
  };
  process.stdout.write(`${upgrade.stdout}${upgrade.stderr}${JSON.stringify(result, null, 2)}\n`);
  if (flags.json) writeResult(flags.json, result);
  process.exitCode = upgrade.code === 0 && result.lost + result.doubled === 0 ? 0 : 1;
} finally {
  await cluster.stop();
  removeFolder(folder);
}
