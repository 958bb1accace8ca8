import { expect, test } from "vitest";
import { Lanes } from "./lanes.js";
import type { MailboxEntry } from "./mailbox.js";

const bounds = { maxConcurrency: 1, maxPendingCalls: 3, maxPendingBytes: 1_000 };
const groups = { concurrencyGroups: { io: 2 }, methodGroups: { fetch: "io" } };

/** A call that runs until it is told to end. */
function held(started: string[], name: string, sizeBytes = 1): MailboxEntry & { end(): void } {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    sizeBytes,
    run: () => {
      started.push(name);
      return ended;
    },
    end: () => end(),
  };
}

/** The first call after a pause waits for one turn of the event loop, the next starts after it. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve));
}

test("LANES-1: each lane runs as many at once as it may, in order, and a full one keeps no other waiting", async () => {
  const lanes = new Lanes({ ...bounds, maxPendingCalls: 100, ...groups });
  const started: string[] = [];
  const calls = ["compute", "compute", "fetch", "fetch", "fetch"].map((method, index) => {
    const call = held(started, `${method} ${index}`);
    lanes.offer("caller", method, call);
    return call;
  });
  await turn();
  expect(started.sort()).toEqual(["compute 0", "fetch 2", "fetch 3"]);
  expect([lanes.running, lanes.waiting]).toEqual([3, 2]);
  calls[2]?.end();
  await turn();
  expect(started.at(-1)).toBe("fetch 4");
  expect([lanes.running, lanes.waiting]).toEqual([3, 1]);
  const waits = calls[1];
  expect(waits && lanes.remove(waits)).toBe(true);
  for (const call of calls) call.end();
  await turn();
  await turn();
  expect([lanes.running, lanes.waiting]).toEqual([0, 0]);
});

test("LANES-2: the bounds hold of all lanes together; a call for which there is room to run is never refused", async () => {
  const lanes = new Lanes({ ...bounds, ...groups });
  const started: string[] = [];
  const offer = (method: string, sizeBytes = 1) =>
    lanes.offer("caller", method, held(started, method, sizeBytes));
  for (const method of ["compute", "fetch", "fetch"]) offer(method);
  await turn();
  expect(lanes.running).toBe(3);
  for (const method of ["compute", "fetch", "fetch"]) offer(method);
  expect(() => offer("compute")).toThrow("3 calls wait already");
  expect(() => offer("fetch")).toThrow("3 calls wait already");
  const other = new Lanes({ ...bounds, maxPendingCalls: 100, ...groups });
  for (const method of ["compute", "fetch", "fetch"]) other.offer("caller", method, held(started, method, 0));
  await turn();
  other.offer("caller", "compute", held(started, "compute", 600));
  expect(() => other.offer("caller", "fetch", held(started, "fetch", 500))).toThrow(
    "calls of 600 bytes wait already",
  );
});

test("a paused caller is paused in every lane", async () => {
  const lanes = new Lanes({ ...bounds, ...groups });
  const started: string[] = [];
  lanes.pause("caller");
  for (const method of ["compute", "fetch"]) lanes.offer("caller", method, held(started, method));
  await turn();
  expect(started).toEqual([]);
  lanes.resume("caller");
  await turn();
  expect(started.sort()).toEqual(["compute", "fetch"]);
});
