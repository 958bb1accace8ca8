import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock } from "@palimpsest/std";
import { Deadlines, PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { inlineValue } from "../values/outgoing-value.js";
import { TaskBacklog } from "./task-backlog.js";
import { TaskCall, type TaskCarrier } from "./task-call.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const backlog = new TaskBacklog();
const nothing = () => undefined;
const carrier: TaskCarrier = {
  ...{ clock: systemClock, deadlines: new Deadlines(systemClock) },
  settled: () => backlog.settledOne(),
  ...{ abandon: nothing, grant: nothing, prepared: nothing, again: nothing, againWith: () => false },
};

function queued(name: string): TaskCall {
  const call = new TaskCall(
    {
      ...{ name, method: name, args: inlineValue(new Uint8Array()), signals: [], retries: 0 },
      ...{ timeoutMs: Number.POSITIVE_INFINITY, retryExceptions: false, maxCalls: 0 },
    },
    carrier,
  );
  call.promise.catch(nothing);
  backlog.push(call);
  return call;
}

test("tasks that are cancelled while they wait are not kept, although no worker ever takes the ones before them", async () => {
  const first = queued("first");
  const cancelled: WeakRef<TaskCall>[] = [];
  for (let number = 0; number < 100; number++) {
    const call = queued("cancelled");
    call.cancel(new PalimpsestError("CANCELLED", "by the test"));
    cancelled.push(new WeakRef(call));
  }
  const last = queued("last");
  expect(backlog.size).toBe(2);
  // What a WeakRef refers to stays until the end of the turn in which it was made.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(cancelled.filter((call) => call.deref() !== undefined).length).toBeLessThan(10);
  expect([backlog.shift(), backlog.shift(), backlog.shift()]).toEqual([first, last, undefined]);
});
