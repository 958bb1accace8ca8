import { ActorChannel, createHandle, SharedStreams } from "@palimpsest/client";
import { systemClock } from "@palimpsest/std";
import { createMetrics } from "@palimpsest/telemetry";
import { actorHostService, grpcNetwork, PalimpsestError, servePart } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { ActorState } from "@palimpsest/wire/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createCallMetrics } from "../calls/call-metrics.js";
import type { CallerStream } from "../calls/caller.js";
import { ActorHost } from "./actor-host.js";
import { HostedActors } from "./hosted-actors.js";
import { serveShared } from "./shared-calls.js";

const network = grpcNetwork({ token: "token-of-the-tests" });

class Light {
  readonly #name: string;
  calls = 0;

  constructor(name: string) {
    this.#name = name;
  }

  greet(text: string): string {
    this.calls += 1;
    return `${text} from ${this.#name}`;
  }

  never(): Promise<never> {
    this.calls += 1;
    return new Promise(() => undefined);
  }

  /** Throws at the first of its calls. */
  second(): number {
    this.calls += 1;
    if (this.calls === 1) throw new Error("not yet");
    return this.calls;
  }

  async *count(to: number): AsyncGenerator<number> {
    for (let at = 0; at < to; at++) yield at;
  }
}

/** No test waits until a silent actor is asked about: what it shows must come about without that. */
const silenceMs = { first: 3_600_000, longest: 3_600_000 };

/** A process of light actors, and a program that calls them. */
async function lightActors(names: readonly string[], maxConcurrency = 1) {
  const metrics = createCallMetrics(createMetrics({ component: "test", processMetrics: false }), {
    waiting: 0,
    running: 0,
  });
  const infos = new Map<string, proto.ActorInfo.$Properties>();
  const hosts = new Map<string, ActorHost>();
  const actors = new Map<string, Light>();
  const streams: CallerStream[] = [];
  const hosted = new HostedActors();
  const server = network.createServer();
  servePart(server, actorHostService, {
    sharedCalls: (stream: CallerStream) => {
      streams.push(stream);
      serveShared(hosted, stream);
    },
  });
  const address = await server.listen("127.0.0.1", 0);
  onTestFinished(() => server.close(0));
  function host(actorId: string, incarnation = 1): void {
    const bounds = { maxConcurrency, maxPendingCalls: 100, maxPendingBytes: 1_000_000 };
    const one = ActorHost.behind({ actorId, incarnation, hosted, ...bounds }, metrics);
    onTestFinished(() => one.end());
    const actor = new Light(`${actorId}.${incarnation}`);
    one.serve(actor);
    hosts.set(actorId, one);
    actors.set(actorId, actor);
    const spec = { actorId, sharedProcess: true };
    infos.set(actorId, { spec, state: ActorState.ACTOR_STATE_ALIVE, address, incarnation });
  }
  for (const name of names) host(name);
  const shared = new SharedStreams({ network, clock: systemClock });
  onTestFinished(() => shared.close(new PalimpsestError("CANCELLED", "the test ends")));
  const handles = names.map((actorId) => {
    const resolve = async () => infos.get(actorId) ?? {};
    const channel = new ActorChannel({ actorId, network, shared, silenceMs, resolver: { resolve } });
    onTestFinished(() => channel.close());
    const nothing = async () => undefined;
    return createHandle<Light>({
      channel,
      defaults: { timeoutMs: 600_000, retries: 0 },
      info: () => Promise.reject(new Error("nobody asks")),
      kill: nothing,
      onDeath: () => () => undefined,
    });
  });
  return { hosts, actors, host, handles, streams };
}

function end(host: ActorHost | undefined): void {
  host?.end();
  host?.leave(new PalimpsestError("ACTOR_UNAVAILABLE", "it was stopped"));
}

test("all light actors of a process are called on one stream, also their generators (SHAREDSTREAMS-1)", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `light-${index}`);
  const { handles, streams } = await lightActors(names);
  await Promise.all(handles.map((handle) => handle.ready()));
  const greetings = await Promise.all(handles.map((handle) => handle.greet("hello")));
  expect(greetings).toEqual(names.map((name) => `hello from ${name}.1`));
  const items: number[] = [];
  for await (const item of handles[3]?.count(200) ?? []) items.push(item);
  expect(items).toEqual(Array.from({ length: 200 }, (_, at) => at));
  expect(streams).toHaveLength(1);
});

test("one that ends fails its own calls, as those of a process, and no other's (SHAREDCALLS-1, SHAREDMEMBER-1)", async () => {
  const { handles, hosts, actors, host, streams } = await lightActors(["a", "b"]);
  const [a, b] = handles;
  const running = a?.never();
  const waiting = a?.greet("later");
  const others = b?.never();
  await expect.poll(() => [actors.get("a")?.calls, actors.get("b")?.calls]).toEqual([1, 1]);
  const before = actors.get("a");
  end(hosts.get("a"));
  host("a", 2);
  await expect(running).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
  await expect(waiting).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
  expect(await a?.greet("again")).toBe("again from a.2");
  expect(before?.calls).toBe(1);
  end(hosts.get("b"));
  host("b", 2);
  await expect(others).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
  expect(streams).toHaveLength(1);
});

test("a call to one that is not there any more has not run: it goes to the next incarnation, once (SHAREDMEMBER-2)", async () => {
  const { handles, hosts, actors, host, streams } = await lightActors(["a", "b"]);
  const [a] = handles;
  expect(await a?.greet("first")).toBe("first from a.1");
  // It takes no call any more, and nobody has told that it has left.
  hosts.get("a")?.end();
  host("a", 2);
  expect(await Promise.all([a?.greet("1"), a?.greet("2"), a?.greet("3")])).toEqual(
    ["1", "2", "3"].map((text) => `${text} from a.2`),
  );
  expect(actors.get("a")?.calls).toBe(3);
  expect(streams).toHaveLength(1);
});

test("a call that is retried because its method threw leaves nothing of its first attempt (SHAREDMEMBER-2)", async () => {
  const { handles, hosts, host } = await lightActors(["a"]);
  const [a] = handles;
  expect(await a?.with({ retries: 1, retryExceptions: true }).second()).toBe(2);
  // It takes no call any more, and nobody has told that it has left: the next call is looked for elsewhere only if no
  // earlier one counts as outstanding.
  hosts.get("a")?.end();
  host("a", 2);
  expect(await a?.greet("hello")).toBe("hello from a.2");
});

test("a process that goes takes the calls of all its actors with it; they are looked for again", async () => {
  const { handles, actors, streams } = await lightActors(["a", "b"], 2);
  const flying = handles.map((handle) => handle.never().catch((reason: PalimpsestError) => reason.code));
  await expect.poll(() => [...actors.values()].map(({ calls }) => calls)).toEqual([1, 1]);
  streams[0]?.emit("error", new Error("the test cuts the stream"));
  expect(await Promise.all(flying)).toEqual(["ACTOR_UNAVAILABLE", "ACTOR_UNAVAILABLE"]);
  expect(await Promise.all(handles.map((handle) => handle.greet("hello")))).toHaveLength(2);
  expect(streams).toHaveLength(2);
});
