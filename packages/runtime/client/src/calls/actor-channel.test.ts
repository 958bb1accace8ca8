import { type Clock, systemClock } from "@palimpsest/std";
import { Credentials, encodeValue, grpcNetwork, type Network, PalimpsestError } from "@palimpsest/wire";
import type * as protoTypes from "@palimpsest/wire/protocol";
import * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ActorHandle, createHandle } from "../actors/actor-handle.js";
import { ScriptedActor } from "../testing/scripted-actor.js";
import { inlineValue } from "../values/outgoing-value.js";
import { ActorChannel } from "./actor-channel.js";

const token = "token-of-the-tests";
const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD, ACTOR_STATE_PENDING, ACTOR_STATE_RESTARTING } = proto.ActorState;

interface Echo {
  echo(value: unknown): Promise<unknown>;
  silent(value?: unknown): Promise<unknown>;
  stream(): AsyncGenerator<number>;
}

let actor: ScriptedActor;
let channel: ActorChannel;
let handle: ActorHandle<Echo>;
/** What the head says; tests change it. */
let info: protoTypes.ActorInfo.$Properties;
let told: () => void;
/** How often the channel asked. */
let resolutions: number;
/** Timers of the channel that run. */
let timers: Set<object>;
const clock: Clock = {
  ...systemClock,
  after: (delayMs, callback) => {
    const timer = {};
    const running = timers.add(timer);
    const cancel = systemClock.after(delayMs, () => {
      running.delete(timer);
      callback();
    });
    return () => {
      running.delete(timer);
      cancel();
    };
  },
};

function say(next: protoTypes.ActorInfo.$Properties): void {
  info = { spec: { actorId: "actor-test", role: "tester" }, ...next };
  told();
}

beforeEach(async () => {
  told = () => undefined;
  resolutions = 0;
  timers = new Set();
  actor = await ScriptedActor.start(token);
  actor.silent.add("silent").add("stream");
  say({ state: ACTOR_STATE_ALIVE, address: actor.address, incarnation: 1 });
  channel = new ActorChannel({
    actorId: "actor-test",
    network: grpcNetwork({ token }),
    maxOutstandingCalls: 50,
    maxOutstandingBytes: 100_000,
    silenceMs: { first: 40, longest: 80 },
    clock,
    resolver: {
      // As Head.ResolveActor: waits for a later incarnation or death, or for the test's next word.
      resolve: async (_actorId, known, _waitMs, signal) => {
        resolutions++;
        const settled = () =>
          info.state === ACTOR_STATE_DEAD ||
          (info.state === ACTOR_STATE_ALIVE && (info.incarnation ?? 0) > known);
        while (!settled() && !signal.aborted) {
          const word = new Promise<void>((resolve) => {
            told = resolve;
          });
          const timeUp = new Promise<void>((resolve) => setTimeout(resolve, 50));
          await Promise.race([word, timeUp]);
          break;
        }
        return info;
      },
    },
  });
  handle = createHandle<Echo>({
    channel,
    defaults: { timeoutMs: 600_000, retries: 0 },
    info: () => Promise.reject(new Error("not here")),
    onDeath: () => () => undefined,
    kill: () => Promise.reject(new Error("not here")),
  });
});

afterEach(() => {
  channel.close();
  actor.kill();
});

async function restart(): Promise<void> {
  say({
    state: ACTOR_STATE_RESTARTING,
    incarnation: 1,
    certificate: { reason: "its process was killed by SIGKILL", signal: "SIGKILL" },
  });
  actor.kill();
  const next = await ScriptedActor.start(token);
  next.silent.add("silent").add("stream");
  actor = next;
  say({ state: ACTOR_STATE_ALIVE, address: next.address, incarnation: 2 });
}

describe("ActorChannel", () => {
  test("sends the calls of one turn in one message, in order (STREAM-1, STREAM-2)", async () => {
    await handle.echo("warm");
    const values = Array.from({ length: 200 }, (_, index) => index).slice(0, 40);
    expect(await Promise.all(values.map((value) => handle.echo(value)))).toEqual(values);
    expect(actor.batches).toHaveLength(2);
    expect(actor.batches[1]?.frames).toHaveLength(40);
  });

  test("a handle in a text is its actor's id, which calls nothing", () => {
    expect(String(handle)).toBe("actor-test");
    expect(actor.batches).toEqual([]);
  });

  test("keeps calls that come before the actor lives, and their order (CHANNEL-1)", async () => {
    say({ state: ACTOR_STATE_PENDING });
    const calls = Promise.all([handle.echo(1), handle.echo(2), handle.echo(3)]);
    say({ state: ACTOR_STATE_ALIVE, address: actor.address, incarnation: 1 });
    expect(await calls).toEqual([1, 2, 3]);
    expect(actor.addressees).toEqual([{ actorId: "actor-test", incarnation: 1 }]);
  });

  test("keeps calls while the head still believes in a process that cannot be reached (CHANNEL-2, STREAM-4)", async () => {
    await handle.echo("warm");
    const lost = handle.silent();
    await expect.poll(() => actor.methods).toContain("silent");
    // As when a node dies: the head notices seconds later.
    actor.kill();
    await expect(lost).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
    const patient = handle.echo("patient");
    const asked = resolutions;
    await expect.poll(() => resolutions).toBeGreaterThan(asked + 1);
    actor = await ScriptedActor.start(token);
    say({ state: ACTOR_STATE_ALIVE, address: actor.address, incarnation: 2 });
    await expect(patient).resolves.toBe("patient");
    expect(actor.methods).toEqual(["echo"]);
  });

  test("fails what was in flight at a restart, and sends what comes after to the new process (CHANNEL-2, CHANNEL-3)", async () => {
    await handle.echo("warm");
    const inFlight = handle.silent();
    await expect.poll(() => actor.methods).toContain("silent");
    const failed = expect(inFlight).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE", retryable: true });
    await restart();
    await failed;
    expect(await handle.echo("again")).toBe("again");
    expect(actor.methods).toEqual(["echo"]);
    expect(actor.addressees).toEqual([{ actorId: "actor-test", incarnation: 2 }]);
  });

  test("sends a call again when it has retries left, before later calls (CHANNEL-2)", async () => {
    await handle.echo("warm");
    const retried = handle.with({ retries: 1 }).silent("payload");
    await expect.poll(() => actor.methods).toContain("silent");
    const restarted = restart();
    await restarted;
    await expect.poll(() => actor.methods).toEqual(["silent"]);
    actor.reply({ callId: actor.frames[0]?.call?.callId ?? 0, value: encodeValue("second try") });
    await expect(retried).resolves.toBe("second try");
  });

  test("never repeats a generator whose items were seen (CHANNEL-2)", async () => {
    await handle.echo("warm");
    const items = handle.with({ retries: 5 }).stream()[Symbol.asyncIterator]();
    await expect.poll(() => actor.methods).toContain("stream");
    const callId = actor.frames.find((frame) => frame.call?.method === "stream")?.call?.callId ?? 0;
    actor.reply({ callId, item: encodeValue(1) });
    expect(await items.next()).toEqual({ done: false, value: 1 });
    await restart();
    await expect(items.next()).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
    expect(actor.methods).toEqual([]);
  });

  test("fails everything with the death certificate when the actor does not come back (CHANNEL-3, CHANNEL-4)", async () => {
    await handle.echo("warm");
    const inFlight = handle.silent();
    await expect.poll(() => actor.methods).toContain("silent");
    const certificate = {
      reason: "its process exited with code 3",
      exitCode: 3,
      lastStderrLines: ["the last words"],
      nodeId: "node-1",
      ownerId: "session-1",
    };
    say({ state: ACTOR_STATE_DEAD, incarnation: 1, certificate });
    actor.kill();
    const error = (await inFlight.catch((reason: unknown) => reason)) as PalimpsestError;
    expect(error).toBeInstanceOf(PalimpsestError);
    expect(error).toMatchObject({
      code: "ACTOR_DIED",
      details: { exitCode: 3, nodeId: "node-1", ownerId: "session-1", lastStderr: "the last words" },
    });
    expect(error.message).toContain("the last words");
    const same = { code: error.code, message: error.message, details: error.details };
    await expect(handle.echo(1)).rejects.toMatchObject(same);
    await expect(handle.ready()).rejects.toMatchObject(same);
  });

  test("takes what a failed constructor threw as the cause", async () => {
    say({
      state: ACTOR_STATE_DEAD,
      constructorError: { code: "ACTOR_ERROR", message: "constructor of A threw: no" },
    });
    await expect(handle.ready()).rejects.toMatchObject({
      code: "ACTOR_DIED",
      cause: { code: "ACTOR_ERROR", rawMessage: "constructor of A threw: no" },
    });
  });

  test("believes the head at once when it tells of a death", async () => {
    await handle.echo("warm");
    const inFlight = handle.silent();
    channel.noticeDeath({ spec: { actorId: "actor-test" }, certificate: { reason: "its node died" } });
    await expect(inFlight).rejects.toMatchObject({
      code: "ACTOR_DIED",
      details: { reason: "its node died" },
    });
  });

  test("refuses calls above maxOutstandingCalls (CHANNEL-5)", async () => {
    const calls = Array.from({ length: 51 }, () => handle.silent());
    const outcomes = Promise.allSettled(calls);
    await expect(calls[50]).rejects.toMatchObject({ code: "PENDING_CALLS_LIMIT" });
    channel.close();
    const reasons = (await outcomes).map((outcome) => outcome.status === "rejected" && outcome.reason.code);
    expect(reasons.filter((code) => code === "CANCELLED")).toHaveLength(50);
  });

  test("refuses calls above maxOutstandingBytes, but not a single large one (CHANNEL-5)", async () => {
    const large = new Uint8Array(60_000);
    const first = handle.silent(large);
    await expect(handle.silent(large)).rejects.toMatchObject({
      code: "PENDING_CALLS_LIMIT",
      message: expect.stringContaining("exceed 100000"),
    });
    const abort = new AbortController();
    const small = handle.with({ signal: abort.signal }).silent();
    const failed = expect(small).rejects.toMatchObject({ code: "CANCELLED" });
    abort.abort();
    await failed;
    channel.close();
    await expect(first).rejects.toMatchObject({ code: "CANCELLED" });
  });

  test("counts calls that were in flight at a break until their fate is known (CHANNEL-5)", async () => {
    await handle.echo("warm");
    const calls = Array.from({ length: 50 }, () => handle.silent());
    const outcomes = Promise.allSettled(calls);
    await expect.poll(() => actor.methods.length).toBe(51);
    say({ state: ACTOR_STATE_PENDING, incarnation: 1 });
    actor.kill();
    await expect(handle.echo("one more")).rejects.toMatchObject({ code: "PENDING_CALLS_LIMIT" });
    await outcomes;
  });

  test("keeps a silent actor for as long as the head says that it lives (CHANNEL-6)", async () => {
    await handle.echo("warm");
    const asked = resolutions;
    const call = handle.silent();
    await expect.poll(() => resolutions).toBeGreaterThan(asked + 2);
    const callId = actor.frames.find((frame) => frame.call?.method === "silent")?.call?.callId ?? 0;
    actor.reply({ callId, value: encodeValue("after a long time") });
    await expect(call).resolves.toBe("after a long time");
    expect(actor.methods).toEqual(["echo", "silent"]);
  });

  test("runs no timer while it is idle, and watches again from the next call on (CHANNEL-6)", async () => {
    await handle.echo("warm");
    await expect.poll(() => timers.size).toBe(0);
    const asked = resolutions;
    const call = expect(handle.silent()).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
    await expect.poll(() => resolutions).toBeGreaterThan(asked);
    actor.kill();
    say({ state: ACTOR_STATE_RESTARTING, incarnation: 1 });
    await call;
  });

  test("gives up a silent process when the head says that the actor lives elsewhere (CHANNEL-6)", async () => {
    await handle.echo("warm");
    const vanished = actor;
    const lost = handle.silent();
    const failed = expect(lost).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
    const retried = handle.with({ retries: 1 }).silent("payload");
    actor = await ScriptedActor.start(token);
    say({ state: ACTOR_STATE_ALIVE, address: actor.address, incarnation: 2 });
    await failed;
    await expect(retried).resolves.toBe("payload");
    vanished.kill();
  });

  test("a deadline covers the wait for an actor that never lives, and ready() too (CALL-1)", async () => {
    say({ state: ACTOR_STATE_PENDING });
    await expect(handle.with({ timeoutMs: 60 }).echo(1)).rejects.toMatchObject({ code: "GET_TIMEOUT" });
    await expect(handle.ready({ timeoutMs: 60 })).rejects.toMatchObject({ code: "GET_TIMEOUT" });
    await expect(handle.ready({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "CANCELLED" });
  });

  test("tells the actor of a call that nobody waits for any more", async () => {
    await handle.echo("warm");
    await expect(handle.with({ timeoutMs: 60 }).silent()).rejects.toMatchObject({ code: "GET_TIMEOUT" });
    const callId = actor.frames.find((frame) => frame.call?.method === "silent")?.call?.callId;
    await expect.poll(() => actor.frames.map((frame) => frame.cancelCallId)).toContain(callId);
  });

  describe("an actor that refuses this caller's token (CHANNEL-7)", () => {
    const strangers: ActorChannel[] = [];
    const stranger = (network: Network, resolve: () => Promise<protoTypes.ActorInfo.$Properties>) => {
      const made = new ActorChannel({ actorId: "actor-test", network, resolver: { resolve } });
      strangers.push(made);
      return made;
    };
    const echo = (from: ActorChannel, timeoutMs: number) =>
      from.call({ method: "echo", args: inlineValue(encodeValue([1])), timeoutMs, signals: [], retries: 0 })
        .promise;
    afterEach(() => {
      for (const made of strangers.splice(0)) made.close();
    });

    test("takes the call once the caller has the new token", async () => {
      const credentials = Credentials.ofCluster("another");
      let asked = 0;
      const channel = stranger(grpcNetwork({ credentials }), async () => {
        if (++asked === 3) credentials.rotate(token, 0);
        return info;
      });
      await expect(echo(channel, 20_000)).resolves.toBe(1);
      expect(asked).toBeGreaterThanOrEqual(3);
    });

    test("is told as the reason when the deadline passes", async () => {
      const channel = stranger(grpcNetwork({ token: "another" }), async () => info);
      // A deadline may pass before the first refusal arrives.
      const failure = (call: Promise<unknown>) =>
        call.then(
          () => undefined,
          (reason: unknown) => reason,
        );
      const unauthenticated = { cause: { code: "UNAUTHENTICATED" } };
      await expect.poll(() => failure(channel.ready(300))).toMatchObject(unauthenticated);
      await expect
        .poll(() => failure(echo(channel, 300)))
        .toMatchObject({
          code: "GET_TIMEOUT",
          message: expect.stringContaining("the token is not this cluster's"),
          cause: { code: "UNAUTHENTICATED" },
        });
    });

    test("and a head that refuses it too: said at once", async () => {
      const refuse = async () => {
        throw new PalimpsestError("UNAUTHENTICATED", "the token is not this cluster's");
      };
      const channel = stranger(grpcNetwork({ token: "another" }), refuse);
      await expect(channel.ready(20_000)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
      await expect(echo(channel, 20_000)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    });
  });

  test("a call that is given up while its arguments are stored delays those behind it no longer (CHANNEL-1, CALL-4)", async () => {
    await handle.echo("warm");
    const abort = new AbortController();
    const shared = { method: "echo", timeoutMs: 600_000, retries: 0 };
    const storing = {
      ...inlineValue(encodeValue(["large"])),
      preparing: new Promise<never>(() => undefined),
    };
    const large = channel.call({ ...shared, args: storing, signals: [abort.signal] });
    large.promise.catch(() => undefined);
    const behind = handle.echo("behind");
    expect(actor.methods).toEqual(["echo"]);
    abort.abort();
    await expect(large.promise).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(behind).resolves.toBe("behind");
  });

  test("a signal that is aborted already makes a call that is not sent", async () => {
    await handle.echo("warm");
    await expect(handle.with({ signal: AbortSignal.abort() }).silent()).rejects.toMatchObject({
      code: "CANCELLED",
    });
  });
});

describe("a handle", () => {
  test("is not a promise, and keeps its own names", async () => {
    expect(await Promise.resolve(handle)).toBe(handle);
    expect(handle.actorId).toBe("actor-test");
    expect(handle.echo).toBe(handle.echo);
    expect(() => Object.assign(handle, { state: 1 })).toThrow(PalimpsestError);
  });
});
