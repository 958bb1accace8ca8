/**
 * Reads values from files of an object store as a program does and does everything with them that may be done: keeps them,
 * drops them, writes into them, transfers them to a thread or shares them with it, which reads values, too, and ends now and
 * then. Meanwhile files
 * are freed and, if nobody has them mapped, written again as other values. Every value that is kept is checked again and
 * again: it must have its own bytes. Prints one line of JSON; ends with an error where a byte is wrong or memory grows.
 * Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: node --expose-gc bench/runtime/mapped-gets.mjs [GETS, default 1000000] [BYTES of the arrays, default 262144,300000]
 *   [FOLDER in shared memory]
 */
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { encodeLong, isUnmapped, mappedBytes, mappingProblem, storedValue, wholeOf } from "@palimpsest/wire";
import { readFileValue } from "../../packages/runtime/client/dist/values/value-files.js";

const sizes = (process.argv[3] ?? "262144,300000").split(",").map(Number);
const filesOfSize = 6;
const keptAtOnce = 100;

const bind = () => undefined;

/** A value that says which bytes it must have. */
const fileBytes = (mark, length) =>
  wholeOf(storedValue(encodeLong({ mark, words: new Float64Array(length / 8).fill(mark) })));

async function read(path, sizeBytes, isShared = false) {
  const found = await readFileValue(path, sizeBytes, { bind, isMappable: true, isShared });
  if (found === undefined) throw new Error(`${path} could not be read`);
  return found.value;
}

/** The first and last words, and some of each page. */
function check({ mark, words, changed }, where) {
  for (let at = 0; at < words.length; at += at === 0 ? 1 : 4_093) {
    if (words[at] === mark || changed?.has(at)) continue;
    throw new Error(`${where}: word ${at} of value ${mark} is ${words[at]}`);
  }
  if (words.at(-1) !== mark) throw new Error(`${where}: the last word of value ${mark} is ${words.at(-1)}`);
}

if (isMainThread) await main();
else runThread();

function runThread() {
  const kept = [];
  parentPort.on("message", async ({ value, path, sizeBytes, end }) => {
    if (end) process.exit(0);
    const own = value ?? (await read(path, sizeBytes));
    check(own, "thread");
    kept.push(own);
    if (kept.length > workerData.kept) check(kept.shift(), "thread, kept");
    parentPort.postMessage(own.mark);
  });
}

async function main() {
  const gets = Number(process.argv[2] ?? 1_000_000);
  if (mappingProblem() !== "") throw new Error(`nothing can be mapped: ${mappingProblem()}`);
  const folder = mkdtempSync(join(process.argv[4] ?? "/dev/shm", "palimpsest-gets-"));
  const counts = {
    transferred: 0,
    shared: 0,
    cloned: 0,
    changed: 0,
    inThread: 0,
    threads: 0,
    recycled: 0,
    notRecycled: 0,
  };
  try {
    await run(gets, folder, counts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(gets, folder, counts) {
  let mark = 1;
  const files = [];
  const added = (length, path) => {
    const bytes = fileBytes(mark, length);
    const at = join(folder, String(mark));
    if (path === undefined) writeFileSync(at, bytes);
    else {
      const descriptor = openSync(path, "r+");
      writeSync(descriptor, bytes, 0, bytes.byteLength, 0);
      closeSync(descriptor);
      renameSync(path, at);
    }
    files.push({ path: at, length, sizeBytes: bytes.byteLength });
    mark++;
  };
  for (const length of sizes) for (let count = 0; count < filesOfSize; count++) added(length);
  let thread;
  const ended = [];
  const ask = async (message, transfer = []) => {
    if (thread === undefined) {
      thread = new Worker(new URL(import.meta.url), { workerData: { kept: 20 } });
      counts.threads++;
    }
    const answer = new Promise((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
    });
    thread.postMessage(message, transfer);
    await answer;
    thread.removeAllListeners("error");
  };
  const kept = [];
  const freed = [];
  const limits = { maps: 0, rssMiB: 0 };
  let base;
  const startedAt = performance.now();
  for (let done = 1; done <= gets; done++) {
    const file = files[(done * 7) % files.length];
    if (done % 97 === 0) {
      await ask({ path: file.path, sizeBytes: file.sizeBytes });
      counts.inThread++;
      continue;
    }
    const isShared = done % 4 === 0;
    const value = await read(file.path, file.sizeBytes, isShared);
    check(value, "new");
    if (done % 5 === 0) {
      const at = 4_093 * (done % 7);
      value.words[at] = -1;
      value.changed = new Set([at]);
      counts.changed++;
    }
    if (done % 101 === 0) {
      await ask({ value }, isShared ? [] : [value.words.buffer]);
      if (isShared === (value.words.length === 0))
        throw new Error("an array that was transferred has a length, or a shared one none");
      if (isShared) counts.shared++;
      else counts.transferred++;
    } else if (done % 53 === 0 && !isShared) {
      kept.push(structuredClone(value, { transfer: [value.words.buffer] }));
      counts.cloned++;
    } else if (done % 3 !== 0) kept.push(value);
    while (kept.length > keptAtOnce) check(kept.shift(), "kept");
    if (done % 11 === 0 && kept.length > 0) check(kept[done % kept.length], "kept for a while");
    if (done % 13 === 0) {
      const [old] = files.splice(done % files.length, 1);
      const path = `${old.path}.free`;
      renameSync(old.path, path);
      freed.push({ path, length: old.length });
      const again = freed.findIndex((one) => one.length === old.length && isUnmapped(one.path));
      if (again >= 0) {
        added(old.length, freed.splice(again, 1)[0].path);
        counts.recycled++;
      } else {
        added(old.length);
        counts.notRecycled++;
      }
      while (freed.length > 3 * filesOfSize) rmSync(freed.shift().path);
    }
    if (done % 200 === 0) await new Promise(setImmediate);
    if (done % 5_000 === 0) {
      if (thread !== undefined) ended.push(new Promise((resolve) => thread.once("exit", resolve)));
      if ((done / 5_000) % 2 === 0) void thread?.terminate();
      else thread?.postMessage({ end: true });
      thread = undefined;
      const collect = async () => {
        for (let turn = 0; turn < 3; turn++) {
          globalThis.gc();
          await new Promise(setImmediate);
        }
      };
      await collect();
      await Promise.all(ended.splice(0));
      const grows = ({ maps, rssMiB }) => base && (maps > base.maps + 600 || rssMiB > base.rssMiB + 400);
      let now = usage();
      // A thread of V8 frees buffers, which a busy machine may not let run for a while.
      for (let tries = 0; grows(now) && tries < 100; tries++) {
        await delay(100);
        await collect();
        now = usage();
      }
      // What the first rounds load and compile stays.
      if (done === 10_000) base = now;
      limits.maps = Math.max(limits.maps, now.maps);
      limits.rssMiB = Math.max(limits.rssMiB, now.rssMiB);
      if (grows(now))
        throw new Error(
          `memory grows: ${JSON.stringify(base)} after 10,000 gets, ${JSON.stringify(now)} after ${done}`,
        );
    }
  }
  for (const value of kept) check(value, "kept to the end");
  await thread?.terminate();
  const seconds = (performance.now() - startedAt) / 1000;
  const report = { gets, seconds: Number(seconds.toFixed(1)), ...counts, base, most: limits };
  process.stdout.write(`${JSON.stringify({ ...report, mappedMiB: Math.round(mappedBytes() / 2 ** 20) })}\n`);
}

function usage() {
  const maps = readFileSync("/proc/self/maps", "utf8").split("\n").length;
  // Pages of files that are freed count only as long as they are mapped.
  return { maps, rssMiB: Math.round(process.memoryUsage().rss / 2 ** 20) };
}
