/**
 * Measures how long a node's event loop is kept by its object store when that has many values: the processor time of the
 * longest turn while values are evicted, spilled and freed. Linux, and room in /dev/shm.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/runtime/store-turns.ts [--values 20000]
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ObjectStore } from "../../packages/runtime/node/src/objects/store/object-store.js";
import { benchFlags } from "../flags.js";

const values = Number(benchFlags({ values: "20000" }).values);
const valueBytes = 64 * 1024;
const [memory, disk] = [mkdtempSync("/dev/shm/store-turns-"), mkdtempSync(join(tmpdir(), "store-turns-"))];
const store = await ObjectStore.open({
  ...{ folder: join(memory, "objects"), inMemory: true, maxBytes: (values + 10) * valueBytes },
  spill: { folder: join(disk, "spill"), maxBytes: 2 * values * valueBytes },
});

const schedule = openSync("/proc/thread-self/schedstat", "r");
const line = Buffer.alloc(64);
/** The processor time of this thread, which other load does not prolong. */
function threadMs(): number {
  const length = readSync(schedule, line, 0, line.byteLength, 0);
  return Number(line.toString("latin1", 0, length).split(" ")[0]) / 1e6;
}

let [longestMs, lastMs] = [0, threadMs()];
const turn = () => {
  const nowMs = threadMs();
  longestMs = Math.max(longestMs, nowMs - lastMs);
  lastMs = nowMs;
  setImmediate(turn);
};
turn();

async function measure(what: string, work: () => Promise<void>): Promise<void> {
  await delay(300);
  [longestMs, lastMs] = [0, threadMs()];
  const beganAt = performance.now();
  await work();
  await delay(50);
  const seconds = (performance.now() - beganAt) / 1_000;
  process.stdout.write(`| ${what} | ${longestMs.toFixed(0)} ms | ${seconds.toFixed(1)} s |\n`);
}

async function put(sizeBytes: number, holder: string): Promise<void> {
  const write = await store.reserve(sizeBytes, holder, randomBytes(20).toString("hex"));
  await truncate(write.path, sizeBytes);
  await write.seal();
}

async function putMany(count: number, holderOf: (index: number) => string): Promise<void> {
  for (let first = 0; first < count; first += 200)
    await Promise.all(
      Array.from({ length: Math.min(200, count - first) }, (_, index) =>
        put(valueBytes, holderOf(first + index)),
      ),
    );
}

process.stdout.write("| of values of 64 KiB | longest turn | all of it |\n|---|---:|---:|\n");
const part = (share: number) => Math.round(values * share);
await measure(`${values} are stored, half of them as copies`, () =>
  putMany(values, (index) => (index % 2 === 0 ? "" : "driver")),
);
await measure("300 are stored, each evicts one", () => putMany(300, () => "driver"));
await measure(`one of ${part(0.25)} times the size evicts as many`, () =>
  put(part(0.25) * valueBytes, "driver"),
);
await measure(`one of ${part(0.4)} times the size evicts and spills as many`, () =>
  put(part(0.4) * valueBytes, "other"),
);
await measure("1000 are stored, each spills one", () => putMany(1_000, () => "driver"));
await measure("their owner ends", async () => store.release("driver"));
await store.close();
for (const folder of [memory, disk]) rmSync(folder, { recursive: true });
process.exit(0);
