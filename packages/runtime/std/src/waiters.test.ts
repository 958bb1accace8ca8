import { expect, it } from "vitest";
import { systemClock } from "./clock.js";
import { Waiters } from "./waiters.js";

it("wakes those of a key or all, and those whose time or signal ends", async () => {
  const waiters = new Waiters<string>(systemClock);
  const woken: string[] = [];
  const wait = (name: string, timeoutMs: number, signal?: AbortSignal, key?: string) =>
    waiters.wait(timeoutMs, signal, key).then((isWoken) => woken.push(isWoken ? name : `${name}, not woken`));
  const stop = new AbortController();
  const all = [
    wait("a", Number.POSITIVE_INFINITY, undefined, "a"),
    wait("b", Number.POSITIVE_INFINITY, undefined, "b"),
    wait("stopped", Number.POSITIVE_INFINITY, stop.signal, "b"),
    wait("none", Number.POSITIVE_INFINITY),
  ];
  waiters.wake("a");
  await all[0];
  stop.abort();
  await all[2];
  await wait("late", 1, undefined, "a");
  await wait("stopped before", Number.POSITIVE_INFINITY, stop.signal);
  expect(woken).toEqual(["a", "stopped, not woken", "late, not woken", "stopped before, not woken"]);
  waiters.wake("a");
  waiters.wakeAll();
  await Promise.all(all);
  expect(woken.slice(4).sort()).toEqual(["b", "none"]);
});
