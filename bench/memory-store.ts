/**
 * Measures stores of 10^3 to 10^5 records: how long it takes to build a base and to answer a search, with and without
 * changes on top of it, and how much memory 16 namespaces over one base take compared with 16 separate stores. Prints
 * tables; with --json FILE it also writes the figures. `npx tsx --expose-gc --conditions=@palimpsest/source
 * bench/memory-store.ts`
 */
import { cpus } from "node:os";
import { Bm25Index, hashedEmbedder, MemoryStore, StoreBase, StoreBases } from "@palimpsest/memory";
import type { MemoryRecord } from "@palimpsest/trajectories";
import { writeResult } from "./result-file.js";

const sizes = [1_000, 10_000, 100_000];
const queries = 60;
const namespaces = 16;
const changes = 32;

/** Returns the same sequence of numbers in [0, 1) in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const syllables = ["ka", "lo", "mi", "ne", "ru", "sa", "to", "vi", "da", "pe", "gu", "ho"];
const wordOf = (rank: number): string =>
  rank < 12 ? (syllables[rank] ?? "") : wordOf(Math.floor(rank / 12)) + (syllables[rank % 12] ?? "");
const vocabulary = Array.from({ length: 30_000 }, (_, rank) => wordOf(rank + 12));

/** Word frequencies fall as 1 / rank, as in natural text. */
const sentence = (random: () => number, words: number) =>
  Array.from({ length: words }, () => vocabulary[Math.floor(vocabulary.length ** random()) - 1]).join(" ");

function recordsOf(count: number): MemoryRecord[] {
  const random = numbers(1);
  return Array.from({ length: count }, (_, i) => ({
    id: `r${i}`,
    content: sentence(random, 20),
    memoryType: "episodic",
    speaker: i % 2 === 0 ? "Anna" : "Ben",
    session: `session_${1 + (i % 30)}`,
    dialogueTime: `2023-${String(1 + (i % 12)).padStart(2, "0")}-08T13:56`,
    provenance: [`D1:${i}`],
    metadata: {},
  }));
}

const quantile = (times: readonly number[], at: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * at))] ?? 0;

interface Times {
  readonly medianMs: number;
  readonly p95Ms: number;
  /** Mean processor time of this process, which is less affected by other work on the machine. */
  readonly cpuMs: number;
}

async function searchTimes(search: (query: string) => unknown): Promise<Times> {
  const random = numbers(2);
  const times: number[] = [];
  let cpuBefore = process.cpuUsage();
  for (let i = 0; i < queries + 10; i++) {
    const query = sentence(random, 8);
    if (i === 10) cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    await search(query);
    // The first ten runs are not counted, because they include compilation.
    if (i >= 10) times.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMs = (user + system) / 1000 / queries;
  return { medianMs: quantile(times, 0.5), p95Ms: quantile(times, 0.95), cpuMs };
}

async function change(store: MemoryStore): Promise<void> {
  const random = numbers(3);
  for (let i = 0; i < changes; i++) {
    await store.create({ content: sentence(random, 20) });
    await store.update(`r${i * 7}`, { content: sentence(random, 20) });
    store.delete(`r${i * 7 + 1}`);
  }
}

/** Returns the bytes in the heap and in buffers after a collection. */
function usedBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  // WebAssembly's memories count as external, and buffers are among them.
  return heapUsed + Math.max(arrayBuffers, external);
}

const embedder = hashedEmbedder();
const searches = [];
for (const size of sizes) {
  const records = recordsOf(size);
  const startedAt = performance.now();
  const base = await StoreBase.of(records, embedder);
  const buildMs = performance.now() - startedAt;
  const fresh = new MemoryStore(base);
  const changed = new MemoryStore(base);
  await change(changed);
  const bm25 = Bm25Index.of(records.map(({ content }) => content));
  searches.push({
    records: size,
    buildMs,
    hybrid: await searchTimes((query) => fresh.search(query)),
    filtered: await searchTimes((query) => fresh.search(query, { speaker: "Anna", after: "2023-06" })),
    changed: await searchTimes((query) => changed.search(query)),
    wordsAlone: await searchTimes((query) => bm25.search(query, 5)),
  });
}

/** Makes 16 namespaces of equal records, changes each of them, and returns the memory that they took. */
async function bytesOf(size: number, shared: boolean): Promise<number> {
  const bases = new StoreBases(embedder);
  await new MemoryStore(await StoreBase.of(recordsOf(8), embedder)).search("warm");
  const before = usedBytes();
  const stores: MemoryStore[] = [];
  for (let i = 0; i < namespaces; i++) {
    // Each episode has its own copy of the records, as queues deliver them.
    const records = recordsOf(size);
    const store = shared
      ? new MemoryStore(await bases.baseOf(records))
      : await MemoryStore.of(records, embedder);
    await change(store);
    stores.push(store);
  }
  const after = usedBytes();
  if (stores.length !== namespaces) throw new Error("namespaces were collected");
  return after - before;
}

async function oneStore(size: number): Promise<number> {
  const before = usedBytes();
  const store = await MemoryStore.of(recordsOf(size), embedder);
  const bytes = usedBytes() - before;
  return store.size === size ? bytes : 0;
}

const memory = [];
for (const size of [1_000, 10_000]) {
  await oneStore(size);
  const one = await oneStore(size);
  memory.push({
    records: size,
    namespaces,
    changesEach: changes * 3,
    baseBytes: one,
    sharedBytes: await bytesOf(size, true),
    separateBytes: await bytesOf(size, false),
  });
}

const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0);
const mib = (value: number) => (value / 2 ** 20).toFixed(1);
const table = [
  "records   base made (ms)   search, median / p95 / CPU (ms)   filtered   after 96 changes   words alone",
  ...searches.map(
    ({ records, buildMs, hybrid, filtered, changed, wordsAlone }) =>
      `${String(records).padEnd(10)}${ms(buildMs).padEnd(17)}${`${ms(hybrid.medianMs)} / ${ms(hybrid.p95Ms)} / ${ms(hybrid.cpuMs)}`.padEnd(34)}${ms(filtered.medianMs).padEnd(11)}${ms(changed.medianMs).padEnd(19)}${ms(wordsAlone.medianMs)}`,
  ),
  "",
  `records   one base (MiB)   ${namespaces} namespaces over it (MiB)   ${namespaces} stores of their own (MiB)`,
  ...memory.map(
    ({ records, baseBytes, sharedBytes, separateBytes }) =>
      `${String(records).padEnd(10)}${mib(baseBytes).padEnd(17)}${mib(sharedBytes).padEnd(32)}${mib(separateBytes)}`,
  ),
];
process.stdout.write(`${table.join("\n")}\n`);

const at = process.argv.indexOf("--json");
const file = process.argv[at + 1];
if (at > 0 && file !== undefined) {
  const machine = { cpu: cpus()[0]?.model ?? "", cores: cpus().length, node: process.version };
  const settings = { embedder: embedder.name, wordsARecord: 20, wordsAQuery: 8, queries };
  writeResult(file, { machine, settings, searches, memory });
}
