import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@palimpsest/std";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { watchDisk } from "../run/disk-waiting.js";
import { isDiskFull, whenDiskHasSpace } from "./disk-full.js";

const full = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

/** A clock whose timers run at once. */
const hurried = (): Clock => {
  let nowMs = 0;
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, callback) {
      nowMs += delayMs;
      const handle = setImmediate(callback);
      return () => clearImmediate(handle);
    },
  };
};

test("a write waits for space, says so once per minute, and gives its value", async () => {
  let tries = 0;
  const waits: string[] = [];
  const written = await whenDiskHasSpace(
    () => {
      tries++;
      if (tries <= 100) throw new Error("checkpoint not written", { cause: full() });
      return "written";
    },
    { onWait: ({ message }) => waits.push(message), clock: hurried() },
  );
  expect(written).toBe("written");
  expect(tries).toBe(101);
  expect(waits).toEqual(["checkpoint not written", "checkpoint not written"]);
});

test("other errors are thrown at once, and the disk's own when the run is stopped", async () => {
  const options = { onWait: () => undefined, clock: hurried() };
  const broken = whenDiskHasSpace(() => Promise.reject(new Error("EACCES")), options);
  await expect(broken).rejects.toThrow("EACCES");
  const stop = new AbortController();
  const stopped = whenDiskHasSpace(() => Promise.reject(full()), { ...options, signal: stop.signal });
  stop.abort();
  await expect(stopped).rejects.toThrow("ENOSPC");
});

test.runIf(process.platform === "linux")("a full device is known by its error", () => {
  let reason: unknown;
  try {
    writeFileSync("/dev/full", "x");
  } catch (thrown) {
    reason = thrown;
  }
  expect(isDiskFull(reason)).toBe(true);
});

test("a disk that has less room than a checkpoint takes is full, before it has none at all", async () => {
  const free = await statfs(tmpdir());
  const run = testFolder();
  const checkpoint = join(run, "checkpoints", "policy-00000001");
  mkdirSync(checkpoint, { recursive: true });
  // A file of holes has its size and takes no room: more than the disk has.
  const weights = join(checkpoint, "weights");
  writeFileSync(weights, "");
  truncateSync(weights, free.bavail * free.bsize + 2 ** 30);
  const told: string[] = [];
  const end = watchDisk(run, (event) => void told.push(event.kind === "notice" ? event.text : ""));
  await expect.poll(() => told).toEqual([expect.stringContaining(`the disk of ${run} is full`)]);
  end();
});
