import { getEventListeners } from "node:events";
import { systemClock } from "@palimpsest/std";
import { Deadlines, encodeValue, PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { inlineValue } from "../values/outgoing-value.js";
import { type CallCarrier, PendingCall } from "./pending-call.js";

const carrier: CallCarrier = {
  clock: systemClock,
  deadlines: new Deadlines(systemClock),
  settled: () => undefined,
  abandon: () => undefined,
  grant: () => undefined,
  prepared: () => undefined,
};

function generator(): PendingCall {
  const args = inlineValue(encodeValue([]));
  return new PendingCall({ method: "items", args, timeoutMs: 600_000, signals: [], retries: 0 }, carrier);
}

test.each([
  ["end", (call: PendingCall) => call.end(), undefined],
  ["error", (call: PendingCall) => call.fail(new PalimpsestError("ACTOR_ERROR", "no more")), "no more"],
])(
  "items come out in their order before the %s, also when all of it is there at once (CALL-2)",
  async (_kind, finish, message) => {
    const call = generator();
    const items = call.iterate();
    const waiting = items.next();
    for (const item of [1, 2, 3]) call.push({ item: encodeValue(item) });
    finish(call);
    // What comes after the outcome is not the call's any more.
    call.push({ item: encodeValue(4) });
    expect(await waiting).toEqual({ done: false, value: 1 });
    expect(await items.next()).toEqual({ done: false, value: 2 });
    expect(await items.next()).toEqual({ done: false, value: 3 });
    if (message === undefined) expect(await items.next()).toEqual({ done: true, value: undefined });
    else await expect(items.next()).rejects.toThrow(message);
  },
);

test("calls that share a signal cost it one listener, which goes with the last of them", async () => {
  const args = inlineValue(encodeValue([]));
  const { signal } = new AbortController();
  const calls = Array.from(
    { length: 50_000 },
    () => new PendingCall({ method: "m", args, timeoutMs: 1e9, signals: [signal], retries: 0 }, carrier),
  );
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const call of calls) call.end();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("an abort cancels each call that has the signal, and none that has its outcome", async () => {
  const args = inlineValue(encodeValue([]));
  const abort = new AbortController();
  const { signal } = abort;
  const made = () =>
    new PendingCall(
      { method: "m", args, timeoutMs: 600_000, signals: [signal, signal], retries: 0 },
      carrier,
    );
  const [first, answered, last] = [made(), made(), made()];
  answered.succeed(encodeValue(1));
  abort.abort("enough");
  await expect(first.promise).rejects.toMatchObject({ code: "CANCELLED", cause: "enough" });
  await expect(last.promise).rejects.toMatchObject({ code: "CANCELLED" });
  expect(await answered.promise).toBe(1);
  await expect(made().promise).rejects.toMatchObject({ code: "CANCELLED" });
});

test("who asks for several items at once gets them in the order of asking, and the end for those that are too many (CALL-2)", async () => {
  const call = generator();
  const items = call.iterate();
  const asked = [items.next(), items.next(), items.next(), items.next()];
  for (const item of [1, 2]) call.push({ item: encodeValue(item) });
  await asked[1];
  call.push({ item: encodeValue(3) });
  await asked[2];
  call.end();
  const got = (await Promise.all(asked)).map(({ value, done }) => (done ? "end" : value));
  expect(got).toEqual([1, 2, 3, "end"]);
});

test("a reader that leaves ends those that it asked for and did not get, without an error", async () => {
  const call = generator();
  const items = call.iterate();
  const asked = [items.next(), items.next()];
  await items.return?.();
  for (const next of [...asked, items.next()]) expect(await next).toEqual({ done: true, value: undefined });
});
