import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import type { ActorHandle } from "../actors/actor-handle.js";
import { type Doubler, ScriptedPool } from "../testing/scripted-pool.js";
import { ActorPool } from "./actor-pool.js";
import { maxUnread } from "./pool-map.js";
import { maxSubmitted } from "./pool-results.js";

let scripted: ScriptedPool;
let pool: ActorPool<Doubler, number>;

const double = (actor: ActorHandle<Doubler>, value: number) => actor.double(value);
const broken = { code: "ACTOR_ERROR", message: "double threw" };

beforeEach(async () => {
  scripted = await ScriptedPool.start(2);
  pool = new ActorPool(scripted.handles);
});

afterEach(() => scripted.end());

/** Values as they are taken. */
class Source {
  readonly taken: number[] = [];
  closed = false;

  *upTo(count: number): Generator<number> {
    try {
      for (let value = 0; value < count; value++) {
        this.taken.push(value);
        yield value;
      }
    } finally {
      this.closed = true;
    }
  }
}

/** Occupies every actor for a call to its process and back, which begins after all work that could begin before it. */
async function busyOnce(): Promise<void> {
  for (const value of [1, 1]) pool.submit(double, value);
  await Promise.all([scripted.answer(0, 2), scripted.answer(1, 2)]);
  expect([await pool.next(), await pool.next()]).toEqual([2, 2]);
}

test("a pool is typed by its actors' interface", () => {
  expectTypeOf(new ActorPool(scripted.handles)).toEqualTypeOf<ActorPool<Doubler, unknown>>();
  expectTypeOf(pool.map(double, [1])).toEqualTypeOf<AsyncIterableIterator<number>>();
  expectTypeOf(pool).toHaveProperty("next").returns.toEqualTypeOf<Promise<number>>();
  // @ts-expect-error: no such method
  void (() => pool.map((actor) => actor.triple(1), [1]));
});

describe("submitted items", () => {
  test("go to idle actors, one each, and the others wait (ACTORPOOL-1, ACTORPOOL-2)", async () => {
    for (const value of [1, 2, 3]) pool.submit(double, value);
    expect(pool.hasFree()).toBe(false);
    expect(pool.popIdle()).toBeUndefined();
    await scripted.answer(1, 4);
    await scripted.answer(1, 6);
    expect(scripted.calls[1]).toBe(2);
    await scripted.answer(0, 2);
    expect([await pool.next(), await pool.next(), await pool.next()]).toEqual([2, 4, 6]);
    expect(scripted.calls).toEqual([1, 2]);
    expect(pool.hasFree()).toBe(true);
    expect(pool.hasNext()).toBe(false);
    await expect(pool.next()).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(pool.nextUnordered()).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("are read as they end, mixed with reads in order, each once (POOLRESULT-1, POOLRESULT-2)", async () => {
    for (const value of [1, 2, 3]) pool.submit(double, value);
    const soonest = pool.nextUnordered();
    const first = pool.next();
    const other = pool.nextUnordered();
    expect(pool.hasNext()).toBe(false);
    await scripted.answer(1, 4);
    expect(await soonest).toBe(4);
    await scripted.answer(1, 6);
    expect(await other).toBe(6);
    await scripted.answer(0, 2);
    expect(await first).toBe(2);
  });

  test("that fail reject their own place, and their actor goes back (ACTORPOOL-3)", async () => {
    for (const value of [1, 2, 3]) pool.submit(double, value);
    await scripted.answer(0, broken);
    await scripted.answer(0, 6);
    await scripted.answer(1, 4);
    await expect(pool.next()).rejects.toMatchObject({ code: "ACTOR_ERROR" });
    expect([await pool.next(), await pool.next()]).toEqual([4, 6]);
    pool.submit(() => {
      throw new RangeError("not even called");
    }, 1);
    await expect(pool.nextUnordered()).rejects.toThrow("not even called");
    expect([pool.popIdle(), pool.popIdle()]).not.toContain(undefined);
  });

  test("are limited while nobody reads", async () => {
    for (let value = 0; value < maxSubmitted; value++) pool.submit(() => value, value);
    expect(() => pool.submit(double, 1)).toThrow(
      expect.objectContaining({ code: "PENDING_CALLS_LIMIT", retryable: true }),
    );
    expect(await pool.next()).toBe(0);
    pool.submit(() => -1, 1);
    for (let value = 1; value < maxSubmitted; value++) expect(await pool.next()).toBe(value);
    expect(await pool.next()).toBe(-1);
  });
});

describe("actors", () => {
  test("that die leave the pool, and what waits goes to the others (ACTORPOOL-3)", async () => {
    for (const value of [1, 2, 3]) pool.submit(double, value);
    await scripted.actors[0]?.call(0);
    scripted.kill(0);
    await expect(pool.next()).rejects.toMatchObject({ code: "ACTOR_DIED" });
    await scripted.answer(1, 4);
    await scripted.answer(1, 6);
    expect([await pool.next(), await pool.next()]).toEqual([4, 6]);
    expect(pool.popIdle()).toBe(scripted.handles[1]);
    expect(pool.hasFree()).toBe(false);
  });

  test("are all dead: what waits and what comes is rejected until one is pushed (ACTORPOOL-4)", async () => {
    const spare = pool.popIdle();
    for (const value of [1, 2]) pool.submit(double, value);
    await scripted.actors[1]?.call(0);
    scripted.kill(1);
    const died = { code: "ACTOR_DIED", details: { actorId: scripted.handles[1]?.actorId } };
    await expect(pool.next()).rejects.toMatchObject({ ...died, message: /the test killed it/ });
    await expect(pool.next()).rejects.toMatchObject({ ...died, message: /the pool has no actors left/ });
    const source = new Source();
    const reader = pool.map(double, source.upTo(1));
    await expect(reader.next()).rejects.toMatchObject(died);
    expect(await reader.next()).toMatchObject({ done: true });
    if (!spare) throw new Error("no actor was idle");
    pool.push(spare);
    pool.submit(double, 5);
    await scripted.answer(0, 10);
    expect(await pool.next()).toBe(10);
  });

  test("are all popped: what is submitted waits for a push (ACTORPOOL-4)", async () => {
    const [one] = [pool.popIdle(), pool.popIdle()];
    pool.submit(double, 1);
    expect(pool.hasNext()).toBe(true);
    if (!one) throw new Error("no actor was idle");
    pool.push(one);
    await scripted.answer(0, 2);
    expect(await pool.next()).toBe(2);
  });

  test("stay when work fails by the death of another actor, as its cause or not", async () => {
    scripted.kill(0);
    pool.popIdle();
    const [dead] = scripted.handles;
    pool.submit((_actor, value) => dead?.double(value) ?? 0, 1);
    await expect(pool.next()).rejects.toMatchObject({ code: "ACTOR_DIED" });
    expect(pool.hasFree()).toBe(true);
  });

  test("are noticed as dead behind an error of the work's own", async () => {
    scripted.kill(0);
    pool.submit(
      (actor, value) =>
        actor.double(value).catch((cause: unknown) => {
          throw new Error("no luck", { cause });
        }),
      1,
    );
    await expect(pool.next()).rejects.toThrow("no luck");
    expect(pool.popIdle()).toBe(scripted.handles[1]);
    expect(pool.popIdle()).toBeUndefined();
  });

  test("are in a pool once, and a pool begins with one", () => {
    const [actor] = scripted.handles;
    if (!actor) throw new Error("there is no actor");
    const code = "ALREADY_EXISTS";
    expect(() => pool.push(actor.with({ timeoutMs: 5 }))).toThrow(expect.objectContaining({ code }));
    expect(() => new ActorPool([actor, actor])).toThrow(expect.objectContaining({ code }));
    expect(() => new ActorPool([])).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});

describe("map", () => {
  test("takes values as actors are idle and gives results in their order (POOLMAP-1)", async () => {
    const source = new Source();
    const results = pool.map(double, source.upTo(4));
    expect(source.taken).toEqual([]);
    const first = results.next();
    await Promise.all([scripted.actors[0]?.call(0), scripted.actors[1]?.call(0)]);
    expect(source.taken).toEqual([0, 1]);
    await scripted.answer(1, 2);
    await scripted.answer(1, 4);
    await scripted.actors[1]?.call(2);
    expect(source.taken).toEqual([0, 1, 2, 3]);
    await scripted.answer(1, 6);
    await scripted.answer(0, 0);
    expect(await first).toEqual({ done: false, value: 0 });
    const rest: number[] = [];
    for await (const result of results) rest.push(result);
    expect(rest).toEqual([2, 4, 6]);
  });

  test("unordered gives each result as it comes", async () => {
    const results = pool.mapUnordered(double, asynchronous([0, 1, 2]));
    const first = results.next();
    await scripted.answer(1, 2);
    expect(await first).toMatchObject({ value: 2 });
    await scripted.answer(1, 4);
    expect(await results.next()).toMatchObject({ value: 4 });
    await scripted.answer(0, 0);
    expect([await results.next(), await results.next()]).toMatchObject([{ value: 0 }, { done: true }]);
  });

  test("takes no more than actors and a bound while nobody reads (POOLMAP-1)", async () => {
    const source = new Source();
    const results = pool.map((_actor, value) => value, source.upTo(1_000));
    expect(await results.next()).toMatchObject({ value: 0 });
    await busyOnce();
    expect(source.taken.length).toBe(1 + 2 + maxUnread);
    for (let value = 1; value < 1_000; value++) expect(await results.next()).toMatchObject({ value });
    expect(await results.next()).toMatchObject({ done: true });
  });

  test("gives a failure in its place and goes on when it is read on (POOLMAP-2)", async () => {
    for (const method of ["map", "mapUnordered"] as const) {
      const results = pool[method](
        (_actor, value) => (value % 2 ? Promise.reject(new Error(`odd ${value}`)) : value),
        [0, 1, 2, 3],
      );
      const read = Array.from({ length: 5 }, () => results.next());
      expect(await Promise.allSettled(read)).toMatchObject([
        { value: { value: 0 } },
        { reason: { message: "odd 1" } },
        { value: { value: 2 } },
        { reason: { message: "odd 3" } },
        { value: { done: true } },
      ]);
    }
  });

  test("begins no work after a loop that a failure ended, nor after one that was left (POOLMAP-3)", async () => {
    const failing = new Source();
    const loop = async () => {
      for await (const _ of pool.map(() => Promise.reject(new Error("no")), failing.upTo(1_000)));
    };
    await expect(loop()).rejects.toThrow("no");
    const source = new Source();
    for await (const _ of pool.map((_actor, value) => value, source.upTo(1_000))) break;
    expect(source.closed).toBe(true);
    const [failed, taken] = [failing.taken.length, source.taken.length];
    await busyOnce();
    expect([failing.taken.length, source.taken.length]).toEqual([failed, taken]);
    expect(Math.max(failed, taken)).toBeLessThanOrEqual(1 + 2 + maxUnread);
  });

  test("ends with the error of its input, after the results before it", async () => {
    function* input() {
      yield 1;
      throw new Error("the input broke");
    }
    const results = pool.map((_actor, value) => value, input());
    expect(await results.next()).toMatchObject({ value: 1 });
    await expect(results.next()).rejects.toThrow("the input broke");
    expect(await results.next()).toMatchObject({ done: true });
  });

  test("is left while its input still makes a value", async () => {
    const never = new Promise<number>(() => undefined);
    async function* input() {
      yield 1;
      yield await never;
    }
    const results = pool.map((_actor, value) => value, input());
    expect(await results.next()).toMatchObject({ value: 1 });
    const waiting = results.next();
    expect(await results.return?.()).toMatchObject({ done: true });
    expect(await waiting).toMatchObject({ done: true });
  });

  test("two share the actors, and each gets its own results", async () => {
    const one = pool.map((_actor, value) => value, [1, 2, 3]);
    const two = pool.map((_actor, value) => value * 10, [1, 2, 3]);
    const collect = async (results: AsyncIterable<number>) => {
      const all: number[] = [];
      for await (const result of results) all.push(result);
      return all;
    };
    expect(await Promise.all([collect(one), collect(two)])).toEqual([
      [1, 2, 3],
      [10, 20, 30],
    ]);
  });
});

async function* asynchronous(values: readonly number[]): AsyncGenerator<number> {
  yield* values;
}

test("a map with its arguments exchanged is refused by name", () => {
  const map = (...args: readonly unknown[]): unknown => Reflect.apply(pool.map, pool, args);
  expect(() => map([1, 2], () => 1)).toThrow(
    /INVALID_ARGUMENT\] work of a pool: is \[ 1, 2 \]: give a function/,
  );
  expect(() => map(() => 1, 3)).toThrow(/values of a pool: is 3: give a list, or another iterable/);
});
