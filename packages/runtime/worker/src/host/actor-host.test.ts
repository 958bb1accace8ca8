import { ActorChannel, type ActorHandle, createHandle } from "@palimpsest/client";
import { createMetrics } from "@palimpsest/telemetry";
import { actorHostService, fromGrpcError, grpcNetwork, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { ActorHost, type ActorHostOptions } from "./actor-host.js";
import { defaultConcurrencyOf } from "./async-class.js";

const token = "token-of-the-tests";

class Subject {
  readonly log: string[] = [];
  produced = 0;
  closed = 0;
  abortables = 0;
  #release: () => void = () => undefined;
  readonly released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  note(text: string): number {
    return this.log.push(text);
  }

  async echo<Value>(value: Value): Promise<Value> {
    return value;
  }

  /** Throws as long as it was called less often. */
  flaky(times: number): number {
    const called = this.log.push("flaky");
    if (called < times) throw new RangeError(`call ${called} of ${times}`);
    return called;
  }

  wait(): Promise<void> {
    this.log.push("wait");
    return this.released;
  }

  release(): void {
    this.#release();
  }

  async failWhenReleased(): Promise<void> {
    this.log.push("wait");
    await this.released;
    throw new Error("its queue was closed");
  }

  fail(): void {
    throw new RangeError("out of range", { cause: new Error("the deeper reason") });
  }

  async nested(): Promise<void> {
    throw new PalimpsestError("ACTOR_DIED", "another actor died");
  }

  async *count(limit: number): AsyncGenerator<number> {
    try {
      for (let index = 0; index < limit; index++) {
        this.produced++;
        yield index;
      }
    } finally {
      this.closed++;
    }
  }

  async *blocks(count: number, sizeBytes: number): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < count; index++) {
      this.produced++;
      yield new Uint8Array(sizeBytes);
    }
  }

  compute(busyMs: number): void {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
  }

  async *failAfter(items: number): AsyncGenerator<number> {
    for (let index = 0; index < items; index++) yield index;
    throw new Error("no more");
  }

  abortable(signal: AbortSignal): Promise<string> {
    this.abortables++;
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        this.log.push(`aborted: ${(signal.reason as PalimpsestError).code}`);
        resolve("late");
      });
    });
  }

  start(): void {}
  readonly notAMethod = 1;
}

async function host(options: Partial<ActorHostOptions> = {}) {
  const subject = new Subject();
  const metrics = createMetrics({ component: "test", processMetrics: false });
  const started = await ActorHost.start(
    {
      actorId: "actor-test",
      incarnation: 1,
      maxConcurrency: 1,
      maxPendingCalls: 1_000,
      maxPendingBytes: 1_000_000_000,
      network: grpcNetwork({ token }),
      listenHost: "127.0.0.1",
      ...options,
    },
    { metrics },
  );
  started.host.serve(subject);
  onTestFinished(() => started.host.close());
  return { subject, metrics, ...started };
}

function caller(
  address: string,
  options: { readonly token?: string; readonly actorId?: string; readonly incarnation?: number } = {},
) {
  let resolutions = 0;
  const channel = new ActorChannel({
    actorId: options.actorId ?? "actor-test",
    network: grpcNetwork({ token: options.token ?? token }),
    resolver: {
      resolve: async () => {
        resolutions++;
        return {
          spec: { actorId: options.actorId ?? "actor-test" },
          state: proto.ActorState.ACTOR_STATE_ALIVE,
          address,
          incarnation: options.incarnation ?? 1,
        };
      },
    },
  });
  onTestFinished(() => channel.close());
  const handle: ActorHandle<Subject> = createHandle<Subject>({
    channel,
    defaults: { timeoutMs: 600_000, retries: 0 },
    info: () => Promise.reject(new Error("no head")),
    onDeath: () => () => undefined,
    kill: () => Promise.reject(new Error("no head")),
  });
  return { channel, handle, resolved: () => resolutions };
}

describe("calls", () => {
  test("bring structured values there and back", async () => {
    const { address } = await host();
    const { handle } = caller(address);
    const value = {
      tokens: new Int32Array([1, 2]),
      when: new Date(0),
      map: new Map([["a", 1]]),
      none: undefined,
    };
    expect(await handle.echo(value)).toEqual(value);
  });

  test("of one caller run in the order in which they were made, many in flight", async () => {
    const { address, subject } = await host();
    const { handle } = caller(address);
    const results = await Promise.all(Array.from({ length: 500 }, (_, index) => handle.note(String(index))));
    expect(results).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
    expect(subject.log).toEqual(Array.from({ length: 500 }, (_, index) => String(index)));
  });

  test("overlap up to maxConcurrency, so that one can let another go on", async () => {
    const { address } = await host({ maxConcurrency: 2 });
    const { handle } = caller(address);
    const waiting = handle.wait();
    await handle.release();
    await expect(waiting).resolves.toBeUndefined();
  });

  test("of a class with async methods run 1,000 at once unless its options say, those of any other one at a time", async () => {
    const { address, subject } = await host({ maxConcurrency: 0 });
    const { handle } = caller(address);
    const waiting = Array.from({ length: 999 }, () => handle.wait());
    await handle.release();
    await Promise.all(waiting);
    expect(subject.log).toHaveLength(999);
    class Serial {
      readonly begun: string[] = [];
      async start(): Promise<void> {}
      held(name: string): Promise<void> {
        this.begun.push(name);
        return new Promise((resolve) => setImmediate(resolve));
      }
      #free = 0;
      count(): number {
        return ++this.#free;
      }
    }
    class Extended extends Subject {}
    class Streams {
      async *items(): AsyncGenerator<number> {}
    }
    const defaults = [new Serial(), new Subject(), new Extended(), new Streams()].map(defaultConcurrencyOf);
    expect(defaults).toEqual([1, 1_000, 1_000, 1_000]);
  });

  test("run in the concurrency group that they ask for; one that there is not is refused by name", async () => {
    const { address } = await host({ maxConcurrency: 1, concurrencyGroups: { control: 1 } });
    const { handle } = caller(address);
    const waiting = handle.wait();
    await handle.with({ concurrencyGroup: "control" }).release();
    await expect(waiting).resolves.toBeUndefined();
    await expect(handle.with({ concurrencyGroup: "io" }).release()).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("concurrencyGroups are control"),
    });
  });

  test("CHANNEL-8: what a method throws is tried again only where that is asked for, as one of the retries", async () => {
    const { address, subject } = await host();
    const { handle } = caller(address);
    const failing = { code: "ACTOR_ERROR", cause: { name: "RangeError" } };
    await expect(handle.with({ retries: 5 }).flaky(9)).rejects.toMatchObject(failing);
    expect(subject.log).toHaveLength(1);
    const retried = handle.with({ retryExceptions: true, retries: 2 });
    expect(await retried.flaky(4)).toBe(4);
    await expect(retried.flaky(99)).rejects.toMatchObject({ cause: { message: "call 7 of 99" } });
    expect(await handle.with({ retryExceptions: true, retries: -1 }).flaky(20)).toBe(20);
    // Nothing else than what it throws: a method that is not there stays so.
    const nobody = retried as unknown as { nobody(): Promise<void> };
    await expect(nobody.nobody()).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("above maxPendingCalls are refused with PENDING_CALLS_LIMIT", async () => {
    const { address, metrics } = await host({ maxPendingCalls: 2 });
    const { handle, channel } = caller(address);
    const calls = Array.from({ length: 5 }, () => handle.wait());
    const outcomes = Promise.allSettled(calls);
    await expect(calls[3]).rejects.toMatchObject({ code: "PENDING_CALLS_LIMIT", retryable: true });
    await expect(calls[4]).rejects.toMatchObject({ code: "PENDING_CALLS_LIMIT" });
    expect(await metrics.registry.metrics()).toContain(
      'palimpsest_actor_rejected_calls_total{component="test"} 2',
    );
    channel.close();
    await outcomes;
  });

  test("above maxPendingBytes are refused with PENDING_CALLS_LIMIT, and what waits is kept", async () => {
    const { address, subject } = await host({ maxPendingBytes: 100_000 });
    const { handle } = caller(address);
    const running = handle.wait();
    const kept = handle.echo(new Uint8Array(60_000));
    await expect(handle.echo(new Uint8Array(60_000))).rejects.toMatchObject({
      code: "PENDING_CALLS_LIMIT",
      message: expect.stringContaining("maxPendingBytes"),
    });
    subject.release();
    await running;
    expect(await kept).toHaveLength(60_000);
  });

  test("of a caller that sent many synchronous ones let another's pass (MAILBOX-6)", async () => {
    const { address } = await host({ maxPendingCalls: 20_000 });
    const greedy = caller(address).handle;
    const modest = caller(address).handle;
    await modest.echo("warm");
    let computed = 0;
    const flood = Array.from({ length: 300 }, () => greedy.compute(1).then(() => computed++));
    const all = Promise.all(flood);
    await flood[0];
    await modest.echo("through");
    // Both callers and the actor share this test's one thread: each step of the call waits for a slice of 10.
    expect(computed).toBeLessThan(250);
    await all;
  });

  test("carry user errors with name, remote stack and causes", async () => {
    const { address } = await host();
    const { handle } = caller(address);
    const error = (await handle.fail().catch((reason: unknown) => reason)) as PalimpsestError;
    expect(error).toMatchObject({ code: "ACTOR_ERROR", details: { actorId: "actor-test", method: "fail" } });
    const cause = error.cause as Error;
    expect(cause).toMatchObject({ name: "RangeError", message: "out of range" });
    expect(cause.stack).toContain("actor-host.test");
    expect(cause.cause).toMatchObject({ message: "the deeper reason" });
  });

  test("that fail because of another actor do not look as if this one had died", async () => {
    const { address } = await host();
    const { handle } = caller(address);
    await expect(handle.nested()).rejects.toMatchObject({
      code: "ACTOR_ERROR",
      cause: { code: "ACTOR_DIED" },
    });
  });

  test("of what is no method of the class are NOT_FOUND, and make no series of their own", async () => {
    const { address, metrics } = await host();
    const { handle } = caller(address);
    for (const name of ["missing", "notAMethod", "hasOwnProperty", "start"]) {
      const call = Reflect.get(handle, name) as () => Promise<unknown>;
      await expect(call()).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    const mistyped = Reflect.get(handle, "missing") as () => Promise<unknown>;
    await expect(mistyped()).rejects.toThrow(/has no method missing that can be called; it has \w+, /);
    const text = await metrics.registry.metrics();
    expect(text).toContain('method="(unknown)",outcome="error",component="test"} 5');
    expect(text).not.toContain('method="missing"');
  });

  test("for another incarnation or another actor never run (HOST-1)", async () => {
    const { address, subject } = await host();
    for (const meant of [{ incarnation: 7 }, { actorId: "actor-else" }]) {
      const { handle, resolved } = caller(address, meant);
      const call = handle.with({ timeoutMs: 3_000 }).note("wrong");
      // It looks for the actor again, and waits as for one that cannot be reached.
      await expect.poll(resolved).toBeGreaterThan(1);
      call.catch(() => undefined);
    }
    const peer = grpcNetwork({ token }).connect(address, "calls");
    const stream = peer.bidi(actorHostService.calls);
    const error = await new Promise((resolve) => stream.on("error", resolve).on("data", () => undefined));
    expect(fromGrpcError(error)).toMatchObject({ code: "ACTOR_UNAVAILABLE" });
    peer.close();
    expect(subject.log).toEqual([]);
  });

  test("whose arguments cannot travel fail at the caller, and the actor goes on", async () => {
    const { address } = await host();
    const { handle } = caller(address);
    await expect(handle.echo(() => 1)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(handle.echo(new Uint8Array(17 * 1024 * 1024))).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
    });
    expect(await handle.echo("on")).toBe("on");
  });

  test("are counted by method and outcome", async () => {
    const { address, metrics } = await host();
    const { handle } = caller(address);
    await handle.echo(1);
    await handle.fail().catch(() => undefined);
    const text = await metrics.registry.metrics();
    expect(text).toContain('palimpsest_actor_calls_total{method="echo",outcome="ok",component="test"} 1');
    expect(text).toContain('palimpsest_actor_calls_total{method="fail",outcome="error",component="test"} 1');
  });
});

describe("deadlines and cancellation", () => {
  test("a call without an answer fails with GET_TIMEOUT, and the method's signal aborts (INVOCATION-4)", async () => {
    const { address, subject } = await host({ maxConcurrency: 2 });
    const { handle } = caller(address);
    // Connected, so that the time of the call is the method's.
    await handle.echo(1);
    const quick = handle.with({ timeoutMs: 500 });
    await expect(quick.abortable(new AbortController().signal)).rejects.toMatchObject({
      code: "GET_TIMEOUT",
    });
    await expect.poll(() => subject.log.length).toBe(1);
    expect(subject.log[0]).toMatch(/aborted: (GET_TIMEOUT|CANCELLED)/);
  });

  test("a signal among the arguments cancels the call and arrives as a signal", async () => {
    const { address, subject } = await host({ maxConcurrency: 2 });
    const { handle } = caller(address);
    const abort = new AbortController();
    const call = handle.abortable(abort.signal);
    await handle.note("running");
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    await expect.poll(() => subject.log).toEqual(["running", "aborted: CANCELLED"]);
  });

  test("a call that is cancelled while it waits never runs (MAILBOX-5)", async () => {
    const { address, subject } = await host();
    const { handle } = caller(address);
    const blocked = handle.wait();
    const abort = new AbortController();
    const waiting = handle.with({ signal: abort.signal }).note("never");
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
    // Another caller's later call is taken after the cancellation has arrived.
    await expect.poll(async () => subject.log).toEqual(["wait"]);
    subject.release();
    await blocked;
    await handle.note("after");
    expect(subject.log).toEqual(["wait", "after"]);
  });

  test("a caller that leaves takes its waiting calls along and aborts its running ones (HOST-2)", async () => {
    const { address, subject } = await host({ maxConcurrency: 1 });
    const leaving = caller(address);
    const running = leaving.handle.abortable(new AbortController().signal).catch(() => undefined);
    const waiting = leaving.handle.note("never").catch(() => undefined);
    await expect.poll(() => subject.abortables).toBe(1);
    const staying = caller(address).handle.note("stays");
    leaving.channel.close();
    await Promise.all([running, waiting]);
    expect(await staying).toBe(2);
    expect(subject.log).toEqual(["aborted: CANCELLED", "stays"]);
  });

  test("what an actor that ends throws is the end of its process to callers, and nothing starts (INVOCATION-5)", async () => {
    const { address, subject, host: ending } = await host({ maxConcurrency: 1 });
    const { handle } = caller(address);
    const running = handle.failWhenReleased();
    const waiting = handle.note("never");
    await expect.poll(() => subject.log).toEqual(["wait"]);
    ending.end();
    subject.release();
    const settled = Promise.allSettled([running, waiting]);
    await ending.close();
    for (const outcome of await settled)
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "ACTOR_UNAVAILABLE" } });
    expect(subject.log).toEqual(["wait"]);
  });

  test("a wrong token reaches nothing", async () => {
    const { address, subject } = await host();
    const { handle } = caller(address, { token: "another-token" });
    await expect(handle.with({ timeoutMs: 500 }).note("no")).rejects.toBeInstanceOf(PalimpsestError);
    expect(subject.log).toEqual([]);
  });
});

describe("async generators", () => {
  test("give their items in order and end", async () => {
    const { address } = await host();
    const { handle } = caller(address);
    const items: number[] = [];
    for await (const item of handle.count(1_000)) items.push(item);
    expect(items).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  });

  test("wait for a reader that is slow (INVOCATION-3)", async () => {
    const { address, subject } = await host({ maxConcurrency: 2 });
    const { handle } = caller(address);
    const reader = handle.count(10_000)[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: 0 });
    // Two round trips later a generator that did not wait would be far ahead.
    await handle.note("one");
    await handle.note("two");
    expect(subject.produced).toBeLessThanOrEqual(64);
    for (let index = 1; index < 200; index++) expect((await reader.next()).value).toBe(index);
    expect(subject.produced).toBeLessThanOrEqual(200 + 64);
    await reader.return?.();
  });

  test("wait for a reader that takes few but large items (INVOCATION-3, CALL-3)", async () => {
    const { address, subject } = await host({ maxConcurrency: 2 });
    const { handle } = caller(address);
    const reader = handle.blocks(40, 1024 * 1024)[Symbol.asyncIterator]();
    expect((await reader.next()).value).toHaveLength(1024 * 1024);
    await handle.note("one");
    await handle.note("two");
    expect(subject.produced).toBeLessThanOrEqual(10);
    let items = 1;
    while (!(await reader.next()).done) items++;
    expect(items).toBe(40);
  });

  test("are closed when the reader leaves the loop (INVOCATION-4)", async () => {
    const { address, subject } = await host({ maxConcurrency: 2 });
    const { handle } = caller(address);
    for await (const item of handle.count(1_000_000)) if (item === 10) break;
    await expect.poll(() => subject.closed).toBe(1);
    expect(subject.produced).toBeLessThan(1_000);
  });

  test("that throw give the items before the error", async () => {
    const { address } = await host();
    const { handle } = caller(address);
    const items: number[] = [];
    const reading = (async () => {
      for await (const item of handle.failAfter(3)) items.push(item);
    })();
    await expect(reading).rejects.toMatchObject({ code: "ACTOR_ERROR", cause: { message: "no more" } });
    expect(items).toEqual([0, 1, 2]);
  });
});
