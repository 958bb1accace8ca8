import { writeFileSync } from "node:fs";
import type { Clock } from "@palimpsest/wire";
import { expect, test } from "vitest";
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
