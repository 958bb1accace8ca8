import type { Clock } from "@palimpsest/std";
import { expect, it } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { retryUntil } from "./retry.js";

/** A clock on which every wait passes at once and is noted. */
function passingClock() {
  let nowMs = 0;
  const waits: number[] = [];
  const clock: Clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, callback) {
      waits.push(delayMs);
      nowMs += delayMs;
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  return { clock, waits };
}

const backoff = { firstMs: 10, longestMs: 40 };
const away = () => Promise.reject(new PalimpsestError("UNAVAILABLE", "away"));

it("repeats what may pass, and tells each attempt what is left of the time", async () => {
  const { clock, waits } = passingClock();
  const left: number[] = [];
  const settings = { timeoutMs: 1000, backoff, clock, mayRetry: () => true };
  const result = await retryUntil(settings, (leftMs) => {
    left.push(leftMs);
    return left.length < 4 ? away() : Promise.resolve("there");
  });
  expect([result, left, waits]).toEqual(["there", [1000, 990, 970, 930], [10, 20, 40]]);
});

it("throws what may not pass, and does not begin a wait that outlasts the time", async () => {
  const { clock, waits } = passingClock();
  const final = retryUntil({ timeoutMs: 1000, backoff, clock, mayRetry: () => false }, away);
  await expect(final).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(waits).toEqual([]);
  const late = retryUntil({ timeoutMs: 30, backoff, clock, mayRetry: () => true }, away);
  await expect(late).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(waits).toEqual([10]);
});

it("throws where the signal is aborted", async () => {
  const { clock, waits } = passingClock();
  const signal = AbortSignal.abort();
  const stopped = retryUntil({ timeoutMs: 1000, backoff, clock, signal, mayRetry: () => true }, away);
  await expect(stopped).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(waits).toEqual([]);
});
