import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { whenAborted } from "./when-aborted.js";

test("each callback is called once, in order, unless it was taken back, also by one before it", () => {
  const abort = new AbortController();
  const called: string[] = [];
  whenAborted(abort.signal, () => {
    called.push("first");
    takeBack();
  });
  const takeBack = whenAborted(abort.signal, () => called.push("taken back"));
  const last = () => called.push("last");
  whenAborted(abort.signal, last);
  whenAborted(abort.signal, last)();
  expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
  abort.abort();
  expect(called).toEqual(["first", "last"]);
});

test("a signal without callbacks has no listener, and has one again for the next", () => {
  const abort = new AbortController();
  let called = 0;
  for (let times = 0; times < 2; times++) {
    whenAborted(abort.signal, () => called++)();
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
  }
  whenAborted(abort.signal, () => called++);
  abort.abort();
  expect(called).toBe(1);
});
