import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { joinSignals, withDeadline } from "./deadline.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Waits as a request does that nobody but its signal ends. */
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

test("a deadline holds over collections of garbage, and names itself", async () => {
  const caller = new AbortController();
  const collecting = setInterval(collectGarbage, 5);
  const late = () => new Error("too late");
  await expect(withDeadline({ timeoutMs: 50, signals: [caller.signal], late }, aborted)).rejects.toThrow(
    "too late",
  );
  await expect(withDeadline({ timeoutMs: 50 }, aborted)).rejects.toMatchObject({ name: "TimeoutError" });
  clearInterval(collecting);
});

test("the first signal ends the call for its reason, before it begins too, and nothing listens afterwards", async () => {
  const first = new AbortController();
  const second = new AbortController();
  const signals = [first.signal, undefined, second.signal];
  const running = withDeadline({ timeoutMs: 2 ** 40, signals }, aborted);
  second.abort(new Error("second"));
  await expect(running).rejects.toThrow("second");
  let called = false;
  const never = withDeadline({ signals }, async () => {
    called = true;
  });
  await expect(never).rejects.toThrow("second");
  expect(called).toBe(false);
  expect(
    await withDeadline({ timeoutMs: 1_000, signals: [first.signal] }, async (signal) => signal.aborted),
  ).toBe(false);
});

test("joined signals abort with one of them, until they are forgotten", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const kept = joinSignals(one.signal, other.signal);
  const forgotten = joinSignals(one.signal);
  forgotten.forget();
  one.abort("why");
  expect([kept.signal.aborted, kept.signal.reason, forgotten.signal.aborted]).toEqual([true, "why", false]);
  expect(joinSignals(undefined).signal.aborted).toBe(false);
});
