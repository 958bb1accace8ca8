import { systemClock } from "@palimpsest/std";
import { Deadlines, decodeValue, encodeValue, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { Invocation, type Method, type TaskHooks } from "./invocation.js";

function invoke(method: Method | PalimpsestError, tasks?: TaskHooks) {
  const replies: proto.Reply.$Properties[] = [];
  let settled = 0;
  const invocation = new Invocation(
    { callId: 7, method: "work", args: encodeValue([]), streamCredit: 64 },
    {
      actorId: "actor-test",
      deadlines: new Deadlines(systemClock),
      methodOf: () => {
        if (method instanceof PalimpsestError) throw method;
        return method;
      },
      ending: () => false,
      tasks,
      reply: (reply) => void replies.push(reply),
      metrics: { ended: () => undefined, waited: () => undefined, refused: () => undefined },
      onSettled: () => {
        settled++;
      },
    },
  );
  const ends = () => replies.filter(({ item }) => item == null);
  return { invocation, replies, ends, settled: () => settled };
}

/** What a method waits for until the test opens it. */
function opening() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const canceled = new PalimpsestError("CANCELLED", "the test cancels it");

test.each<[string, Method | PalimpsestError]>([
  ["returns a value", () => 1],
  ["returns a promise", async () => 1],
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no"))],
  ["returns what cannot travel", () => () => 1],
  [
    "is an async generator",
    async function* () {
      yield 1;
      yield 2;
    },
  ],
  [
    "is a generator that throws",
    function* () {
      yield 1;
      throw new Error("no more");
    },
  ],
  ["is not there", new PalimpsestError("NOT_FOUND", "no such method")],
])("a method that %s is answered exactly once (INVOCATION-1)", async (_kind, method) => {
  const { invocation, ends, settled } = invoke(method);
  await invocation.run();
  // What comes too late to be an outcome adds nothing.
  invocation.cancel(canceled);
  invocation.drop();
  await invocation.run();
  expect(ends()).toHaveLength(1);
  expect(ends()[0]?.callId).toBe(7);
  expect(settled()).toBe(1);
});

test("a call whose caller has gone is not answered (INVOCATION-1)", async () => {
  const { invocation, replies, settled } = invoke(() => 1);
  invocation.drop();
  await invocation.run();
  expect(replies).toEqual([]);
  expect(settled()).toBe(1);
});

test("after a cancellation nothing of a call is posted, whatever its method still returns or throws (INVOCATION-2)", async () => {
  for (const late of [async () => "late", () => Promise.reject(new Error("late"))]) {
    const gate = opening();
    const { invocation, replies } = invoke(() => gate.opened.then(late));
    const running = invocation.run();
    invocation.cancel(canceled);
    gate.open();
    await running;
    expect(replies.map(({ error }) => error?.code)).toEqual(["CANCELLED"]);
  }
});

test("after a cancellation no further item of a generator is posted, and it is closed (INVOCATION-2)", async () => {
  const gate = opening();
  let closed = false;
  const { invocation, replies } = invoke(async function* () {
    try {
      yield 1;
      await gate.opened;
      yield 2;
    } finally {
      closed = true;
    }
  });
  const running = invocation.run();
  await expect.poll(() => replies.length).toBe(1);
  invocation.cancel(canceled);
  gate.open();
  await running;
  expect(decodeValue(replies[0]?.item ?? new Uint8Array())).toBe(1);
  expect(replies.slice(1).map(({ error }) => error?.code)).toEqual(["CANCELLED"]);
  expect(closed).toBe(true);
});

test("a task that is cancelled while it runs is answered when its function has ended (INVOCATION-6)", async () => {
  const { opened, open } = opening();
  let signal: AbortSignal | undefined;
  const begun: number[] = [];
  const hooks: TaskHooks = {
    started: (callId, make) => {
      begun.push(callId);
      signal = make();
    },
  };
  const { invocation, ends } = invoke(() => opened, hooks);
  const done = invocation.run();
  invocation.cancel(canceled);
  expect(begun).toEqual([7]);
  expect(signal?.aborted).toBe(true);
  expect(ends()).toEqual([]);
  open();
  await done;
  expect(ends()).toMatchObject([{ callId: 7, error: { code: "CANCELLED" } }]);
});

test("a task that waits is answered at once when it is cancelled, and its generator is closed when it runs (INVOCATION-6)", async () => {
  const hooks: TaskHooks = { started: () => undefined };
  const waiting = invoke(() => 1, hooks);
  waiting.invocation.cancel(canceled);
  expect(waiting.ends()).toMatchObject([{ error: { code: "CANCELLED" } }]);
  expect(waiting.invocation.run()).toBeUndefined();

  const { opened, open } = opening();
  let closed = false;
  const running = invoke(async function* () {
    try {
      yield 1;
      await opened;
      yield 2;
    } finally {
      closed = true;
    }
  }, hooks);
  const done = running.invocation.run();
  await new Promise((resolve) => setImmediate(resolve));
  running.invocation.cancel(canceled);
  open();
  await done;
  expect(closed).toBe(true);
  expect(running.replies.map(({ item, error }) => (item ? "item" : error?.code))).toEqual([
    "item",
    "CANCELLED",
  ]);
});

test("what a task's function throws is a TASK_ERROR, and its reply says how long it ran", () => {
  const { invocation, ends } = invoke(
    () => {
      throw new RangeError("no");
    },
    { started: () => undefined },
  );
  void invocation.run();
  expect(ends()).toMatchObject([{ error: { code: "TASK_ERROR", cause: { message: "no" } } }]);
  expect(ends()[0]?.ranUs).toBeGreaterThan(0);
});

test("a generator whose item cannot be sent is closed, and the call fails with the reason (INVOCATION-4)", async () => {
  let closed = false;
  const { invocation, ends } = invoke(async function* () {
    try {
      yield 1;
      yield () => "a function does not travel";
    } finally {
      closed = true;
    }
  });
  await invocation.run();
  expect(closed).toBe(true);
  expect(ends().map(({ error }) => error?.code)).toEqual(["ACTOR_ERROR"]);
});
