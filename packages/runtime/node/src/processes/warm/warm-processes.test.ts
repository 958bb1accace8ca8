import { expect, test } from "vitest";
import type { BackgroundPriority } from "../../base/background-priority.js";
import { quiet } from "../../testing/fixture.js";
import { StandingClock } from "../../testing/standing-clock.js";
import type { ProcessEnd } from "../supervised-process.js";
import { type WarmProcess, WarmProcesses } from "./warm-processes.js";

/** A process that is loaded, and ends, when the test says so. */
class ScriptedProcess implements WarmProcess {
  isLoaded = false;
  stops = 0;
  end!: () => void;
  #load!: () => void;
  readonly loaded = new Promise<void>((resolve) => {
    this.#load = resolve;
  });
  readonly ended = new Promise<ProcessEnd>((resolve) => {
    this.end = () => resolve({} as ProcessEnd);
  });
  readonly process = {
    pid: 1_000,
    ended: this.ended,
    stop: () => {
      this.stops += 1;
      this.end();
      return this.ended;
    },
  } as unknown as WarmProcess["process"];

  load(): void {
    this.isLoaded = true;
    this.#load();
  }
}

const gibibyte = 1024 ** 3;
const turn = () => new Promise((resolve) => setImmediate(resolve));

function pool(
  count: number,
  memory = { totalBytes: 8 * gibibyte, availableBytes: 4 * gibibyte },
  { most = count, background }: { most?: number; background?: BackgroundPriority } = {},
) {
  const clock = new StandingClock();
  const spawned: ScriptedProcess[] = [];
  const warm = new WarmProcesses<ScriptedProcess>({
    ...{ least: count, most, idleMs: 60_000, background },
    spawn: () => {
      const made = new ScriptedProcess();
      spawned.push(made);
      return made;
    },
    memory: () => memory,
    clock,
    logger: quiet,
  });
  const load = async (index: number) => {
    spawned[index]?.load();
    await turn();
    clock.advance(100);
  };
  return { warm, clock, spawned, memory, load };
}

test("processes are started one at a time, up to the count (WARM-1, WARM-2)", async () => {
  const { warm, clock, spawned, load } = pool(2);
  warm.open();
  clock.advance(10_000);
  expect(spawned).toHaveLength(1);
  await load(0);
  expect(spawned).toHaveLength(2);
  await load(1);
  clock.advance(60_000);
  expect(spawned).toHaveLength(2);
  expect(warm.size).toBe(2);
});

test("none is started within a while of one that somebody takes or starts (WARM-2)", async () => {
  const { warm, clock, spawned, load } = pool(2);
  warm.open();
  clock.advance(0);
  await load(0);
  await load(1);
  expect(warm.take()).toBe(spawned[0]);
  clock.advance(90);
  warm.busy();
  clock.advance(90);
  expect(spawned).toHaveLength(2);
  clock.advance(10);
  expect(spawned).toHaveLength(3);
});

test("a count that memory cannot hold is cut, and none waits while memory is short (WARM-1, WARM-3)", async () => {
  const { warm, clock, spawned, memory, load } = pool(4, {
    totalBytes: gibibyte / 2,
    availableBytes: gibibyte,
  });
  warm.open();
  clock.advance(0);
  await load(0);
  clock.advance(60_000);
  expect(spawned).toHaveLength(1);
  memory.availableBytes = gibibyte / 100;
  warm.check();
  expect(spawned[0]?.stops).toBe(1);
  expect(warm.take()).toBeUndefined();
  clock.advance(10_000);
  expect(spawned).toHaveLength(1);
  memory.availableBytes = gibibyte;
  clock.advance(60_000);
  expect(spawned).toHaveLength(2);
});

test("one that ended is not given away, and one that never loads is not tried at once again (WARM-4)", async () => {
  const { warm, clock, spawned, load } = pool(1);
  warm.open();
  clock.advance(0);
  await load(0);
  spawned[0]?.end();
  await turn();
  expect(warm.take()).toBeUndefined();
  clock.advance(100);
  expect(spawned).toHaveLength(2);
  spawned[1]?.end();
  await turn();
  clock.advance(500);
  expect(spawned).toHaveLength(2);
  clock.advance(500);
  expect(spawned).toHaveLength(3);
});

test("the end of the pool ends those that wait and starts none (WARM-5)", async () => {
  const { warm, clock, spawned, load } = pool(2);
  warm.open();
  clock.advance(0);
  await load(0);
  const taken = warm.take();
  clock.advance(100);
  await warm.close();
  clock.advance(60_000);
  expect(spawned.map(({ stops }) => stops)).toEqual([0, 1]);
  expect(taken).toBe(spawned[0]);
});

test("the pool holds what the busiest recent second needed, and shrinks when that is past (WARM-1)", async () => {
  const { warm, clock, spawned, load } = pool(1, undefined, { most: 4 });
  warm.open();
  clock.advance(0);
  await load(0);
  for (let taken = 0; taken < 3; taken++) warm.take();
  clock.advance(30_000);
  for (const index of [1, 2, 3, 4, 5]) await load(index);
  expect([warm.size, spawned.length]).toEqual([3, 4]);
  // A busier second counts, up to the most.
  for (let taken = 0; taken < 9; taken++) warm.take();
  clock.advance(100);
  for (const index of [4, 5, 6, 7, 8, 9]) await load(index);
  expect(warm.size).toBe(4);
  warm.check();
  expect(warm.size).toBe(4);
  clock.advance(61_000);
  warm.check();
  expect(warm.size).toBe(1);
  expect(spawned.slice(-4).map(({ stops }) => stops)).toEqual([1, 1, 1, 0]);
});

test("a process has a low priority until it is taken, and its pool then fills without pauses (WARM-2)", async () => {
  const calls: string[] = [];
  const background = { lower: () => void calls.push("lower"), restore: () => void calls.push("restore") };
  const { warm, clock, spawned } = pool(2, undefined, { background });
  warm.open();
  clock.advance(0);
  spawned[0]?.load();
  await turn();
  clock.advance(0);
  expect(spawned).toHaveLength(2);
  warm.take();
  expect(calls).toEqual(["lower", "lower", "restore"]);
});
