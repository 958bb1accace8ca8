import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import fc from "fast-check";
import { expect, it } from "vitest";
import { processorMs } from "../../../../../test/support/processor-time.js";
import { ManualClock } from "../../../head/src/testing/manual-clock.js";
import { Commits } from "./commits.js";
import { DurableActor } from "./durable-actor.js";
import { type CallId, KeptCalls, maxReplyBytes } from "./kept-calls.js";
import { type Field, readRecord } from "./record.js";

/** A record as the store keeps it: one process may change it, and answers may be lost. */
class StoredRecord {
  readonly fields = new Map<string, Uint8Array>();
  version = 0;
  epoch = 0;
  /** Told before a commit is written, and before it is answered. */
  fault: (when: "before" | "after") => void = () => undefined;

  open(clock: Clock) {
    this.epoch += 1;
    const epoch = this.epoch;
    const refused: PalimpsestError[] = [];
    const commits = new Commits({
      version: this.version,
      commit: async (version, { set, remove }) => {
        this.fault("before");
        if (epoch !== this.epoch) throw new PalimpsestError("ACTOR_DIED", "another process has it");
        if (version !== this.version) {
          if (version !== this.version + 1) throw new PalimpsestError("ACTOR_DIED", "lost");
          for (const { name, value } of set) this.fields.set(name, value);
          for (const name of remove) this.fields.delete(name);
          this.version = version;
        }
        this.fault("after");
      },
      pause: async () => undefined,
      onRefused: (error) => void refused.push(error),
    });
    const stored: Field[] = [...this.fields].map(([name, value]) => ({ name, value }));
    const loaded = readRecord(stored);
    const kept = new KeptCalls(loaded, clock);
    const { state, timers } = loaded;
    const failures: unknown[] = [];
    const onTimerFailed = (_name: string, reason: unknown) => void failures.push(reason);
    const actor = new DurableActor({ name: "test", clock, commits, kept, state, timers, onTimerFailed });
    return { actor, refused, failures };
  }
}

const call = (sequence: number, acknowledged = 0, caller = "caller-a"): CallId => ({
  ...{ caller, sequence, acknowledged, ageMs: 0 },
});
const lost = () => {
  throw new PalimpsestError("UNAVAILABLE", "no answer");
};
const add = (actor: DurableActor, amount: number) => () => {
  const total = Number(actor.state.get() ?? 0) + amount;
  actor.state.set(total);
  return total;
};

it("a call that has run is not run again, in the same process or the next (DURABLEACTOR-3)", async () => {
  const record = new StoredRecord();
  const { actor } = record.open(new ManualClock());
  expect(await actor.call(call(1), "add", add(actor, 5))).toBe(5);
  expect(await actor.call(call(1), "add", add(actor, 5))).toBe(5);
  const next = record.open(new ManualClock()).actor;
  expect(await next.call(call(1), "add", add(next, 5))).toBe(5);
  expect(await next.call(call(2, 1), "add", add(next, 5))).toBe(10);
  // Its reply is kept no more (KEPTCALLS-1).
  expect([...record.fields.keys()].filter((name) => name.startsWith("r:"))).toEqual(["r:caller-a:2"]);
  await expect(next.call(call(1), "add", add(next, 5))).rejects.toThrow("has its outcome already");
  const old = { ...call(3, 0, "caller-of-yesterday"), ageMs: 4_000_000 };
  await expect(next.call(old, "add", add(next, 5))).rejects.toThrow("no longer known");
});

it("a wall clock that is set makes no call run twice (KEPTCALLS-1, DURABLEACTOR-3)", async () => {
  const record = new StoredRecord();
  const clock = new ManualClock();
  const { actor } = record.open(clock);
  expect(await actor.call(call(1), "add", add(actor, 5))).toBe(5);
  clock.jump(7_200_000);
  expect(await actor.call(call(1, 0, "caller-b"), "add", add(actor, 1))).toBe(6);
  expect(await actor.call(call(1), "add", add(actor, 5))).toBe(5);
  // The clock of the next process's machine is further ahead, and its callers are silent there for half an hour.
  clock.jump(7_200_000);
  const next = record.open(clock).actor;
  expect(await next.call(call(2, 1, "caller-b"), "add", add(next, 1))).toBe(7);
  expect(await next.call(call(1), "add", add(next, 5))).toBe(5);
  clock.sleep(1_800_001);
  expect(await next.call(call(3, 2, "caller-b"), "add", add(next, 1))).toBe(8);
  const late = { ...call(1), ageMs: 1_800_002 };
  await expect(next.call(late, "add", add(next, 5))).rejects.toThrow("no longer known");
});

it("two of the same call at once run once", async () => {
  const { actor } = new StoredRecord().open(new ManualClock());
  const both = [1, 2].map(() => actor.call(call(1), "add", add(actor, 1)));
  expect(await Promise.all(both)).toEqual([1, 1]);
});

it("a method that throws changes nothing, and what goes on after it cannot either (DURABLEACTOR-2)", async () => {
  const { actor } = new StoredRecord().open(new ManualClock());
  await actor.call(call(1), "add", add(actor, 1));
  let late: Promise<unknown> = Promise.resolve();
  const failing = actor.call(call(2), "fail", () => {
    actor.state.set(99);
    actor.timers.set("t", { afterMs: 1 }, "tick");
    late = Promise.resolve()
      .then(() => new Promise((resolve) => setImmediate(resolve)))
      .then(() => actor.state.set(77));
    late.catch(() => undefined);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect([actor.state.get(), actor.timers.list()]).toEqual([1, []]);
  await expect(late).rejects.toThrow("outside of a running method");
  expect(() => actor.state.set(1)).toThrow("outside of a running method");
});

it("commits that were not answered are sent again and count once, in order (COMMITS-1, COMMITS-2, DURABLEACTOR-1)", async () => {
  const record = new StoredRecord();
  const { actor } = record.open(new ManualClock());
  let faults = 0;
  record.fault = () => {
    faults += 1;
    // Lost before it is written, and lost on its way back.
    if (faults % 5 === 1 || faults % 5 === 3) lost();
  };
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, at) => actor.call(call(at + 1), "add", add(actor, 1))),
  );
  expect(results).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(record.open(new ManualClock()).actor.state.get()).toBe(20);
});

it("a process that another one has succeeded commits and answers nothing (COMMITS-2)", async () => {
  const record = new StoredRecord();
  const old = record.open(new ManualClock());
  await old.actor.call(call(1), "add", add(old.actor, 1));
  const present = record.open(new ManualClock());
  let answered = false;
  void old.actor.call(call(2), "add", add(old.actor, 1)).then(() => {
    answered = true;
  });
  await expect.poll(() => old.refused.length).toBe(1);
  expect([answered, present.actor.state.get()]).toEqual([false, 1]);
});

it("state, replies and timers that are too large are refused with their size (KEPTCALLS-2)", async () => {
  const { actor } = new StoredRecord().open(new ManualClock());
  actor.serve(() => () => undefined);
  const run = (method: () => unknown) => actor.call(call(1), "method", method);
  await expect(run(() => actor.state.set("x".repeat(2_000_000)))).rejects.toThrow(/takes 20\d+ bytes/);
  await expect(run(() => "x".repeat(maxReplyBytes + 1))).rejects.toThrow(/returned 10\d+ bytes/);
  const far = { afterMs: 1 };
  await expect(run(() => actor.timers.set("t", far, "m", "x".repeat(70_000)))).rejects.toThrow(
    /of timer t take/,
  );
  await expect(run(() => actor.timers.set("", far, "m"))).rejects.toThrow('the timer\'s name is ""');
  await expect(run(() => actor.timers.set("t", { everyMs: 0 }, "m"))).rejects.toThrow(
    "everyMs of timer t is 0",
  );
  await expect(run(() => [1][Symbol.iterator]() && (async function* () {})())).rejects.toThrow(
    "returned a generator",
  );
});

it("timers fire after a restart, late ones once, and their firing is committed with its effects (DURABLEACTOR-4)", async () => {
  const record = new StoredRecord();
  const clock = new ManualClock();
  const first = record.open(clock).actor;
  await first.call(call(1), "set", () => {
    first.timers.set("every", { everyMs: 100 }, "add", 1);
    first.timers.set("once", { afterMs: 50 }, "add", 1_000);
  });
  await clock.advance(10_000);
  const { actor, failures } = record.open(clock);
  let fails = true;
  actor.serve(() => (amount) => {
    if (fails) {
      actor.state.set(-1);
      throw new Error("not yet");
    }
    return add(actor, Number(amount))();
  });
  await clock.advance(0);
  expect([failures.length, actor.state.get()]).toEqual([2, undefined]);
  fails = false;
  await clock.advance(60_000);
  const total = Number(actor.state.get());
  // Once for all that were missed while nothing ran.
  expect(total).toBeGreaterThan(1_000);
  expect(actor.timers.list().map(({ name }) => name)).toEqual(["every"]);
  await clock.advance(1_000);
  expect(actor.state.get()).toBe(total + 10);
});

it("for any crashes and lost answers: the sum is that of the calls, each once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("ok", "lost before", "lost after", "crash before", "crash after"), {
        maxLength: 30,
      }),
      fc.integer({ min: 1, max: 12 }),
      async (faults, calls) => {
        const record = new StoredRecord();
        const clock = new ManualClock();
        const left = [...faults];
        let crash: () => void = () => undefined;
        record.fault = (when) => {
          const [next] = left;
          if (next === undefined || (next !== "ok" && !next.endsWith(when))) return;
          left.shift();
          if (next === "ok") return;
          if (next.startsWith("crash")) crash();
          lost();
        };
        let { actor } = record.open(clock);
        for (let sequence = 1; sequence <= calls; sequence++) {
          for (let done = false; !done; ) {
            const death = new Promise<"died">((resolve) => {
              crash = () => resolve("died");
            });
            const own = actor;
            const answer = own.call(call(sequence, sequence - 1), "add", add(own, sequence));
            answer.catch(() => undefined);
            const outcome = await Promise.race([answer, death]);
            if (outcome === "died") actor = record.open(clock).actor;
            else done = true;
          }
        }
        expect(record.open(clock).actor.state.get()).toBe((calls * (calls + 1)) / 2);
      },
    ),
    { numRuns: 60 },
  );
});

it("a thousand actors of one process do not slow down what else it does", async () => {
  const actorOf = () => new StoredRecord().open(new ManualClock()).actor;
  for (let count = 0; count < 1_000; count++) {
    const actor = actorOf();
    await actor.call(call(1), "add", add(actor, 1));
  }
  const startedAt = processorMs();
  for (let turn = 0; turn < 20_000; turn++) await turn;
  // About 10 ms; with something to do for each actor at every await it would be many seconds.
  expect(processorMs() - startedAt).toBeLessThan(1_000);
});
