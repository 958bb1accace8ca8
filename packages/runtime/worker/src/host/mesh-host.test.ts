import { MeshCalls } from "@palimpsest/client";
import { createMetrics } from "@palimpsest/telemetry";
import { grpcNetwork } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { ActorState } from "@palimpsest/wire/protocol";
import { expect, onTestFinished, test } from "vitest";
import { ActorHost } from "./actor-host.js";
import { HostedActors } from "./hosted-actors.js";

const network = grpcNetwork({ token: "token-of-the-tests" });

class Member {
  readonly #name: string;
  calls = 0;

  constructor(name: string) {
    this.#name = name;
  }

  greet(text: string): string {
    this.calls += 1;
    if (text === this.#name) throw new RangeError(`I am ${text}`);
    return `${text} from ${this.#name}`;
  }

  never(): Promise<never> {
    this.calls += 1;
    return new Promise(() => undefined);
  }

  *items(): Generator<number> {
    yield 1;
  }
}

/** Several actors in this process, as light actors are, all of which are reached at the address of the first. */
async function mesh(names: readonly string[]) {
  const infos = new Map<string, proto.ActorInfo.$Properties>();
  const hosts = new Map<string, ActorHost>();
  const members = new Map<string, Member>();
  const hosted = new HostedActors();
  let shared = "";
  async function host(actorId: string, incarnation = 1): Promise<void> {
    const { host: one, address } = await ActorHost.start(
      {
        ...{ actorId, incarnation, network, listenHost: "127.0.0.1", hosted },
        ...{ maxConcurrency: 2, maxPendingCalls: 100, maxPendingBytes: 1_000_000 },
      },
      { metrics: createMetrics({ component: "test", processMetrics: false }) },
    );
    onTestFinished(() => one.close());
    shared ||= address;
    const member = new Member(actorId);
    one.serve(member);
    hosts.set(actorId, one);
    members.set(actorId, member);
    const state = ActorState.ACTOR_STATE_ALIVE;
    infos.set(actorId, { spec: { actorId }, state, address: shared, incarnation });
  }
  for (const name of names) await host(name);
  let asked = 0;
  const calls = new MeshCalls({
    network,
    callTimeoutMs: 20_000,
    resolver: {
      resolve: async (actorId) => {
        asked += 1;
        return infos.get(actorId) ?? {};
      },
    },
  });
  onTestFinished(() => calls.close());
  return { calls, hosts, members, infos, host, asked: () => asked };
}

const ok = (value: unknown) => ({ status: "ok", value });

test("a call to many is answered in their order; what one throws is its own outcome (MESH-1)", async () => {
  const names = ["a", "b", "c", "d"];
  const { calls, members, asked } = await mesh(names);
  const results = await calls.call(names, "greet", ["c"], {});
  expect(results[2]).toMatchObject({
    status: "failed",
    error: { code: "ACTOR_ERROR", cause: { name: "RangeError", message: "I am c" } },
  });
  expect(results.filter((_, index) => index !== 2)).toEqual(
    ["a", "b", "d"].map((name) => ok(`c from ${name}`)),
  );
  await calls.call(["d", "a"], "greet", ["x"], {});
  expect([...members.values()].map((member) => member.calls)).toEqual([2, 1, 1, 2]);
  // Where they are is asked once.
  expect(asked()).toBe(4);
  expect(await calls.call(["b"], "items", [], {})).toMatchObject([
    { status: "failed", error: { code: "INVALID_ARGUMENT" } },
  ]);
  expect(await calls.call(["b"], "nothing", [], {})).toMatchObject([
    { status: "failed", error: { code: "NOT_FOUND" } },
  ]);
});

test("one that is dead, gone or does not answer is a failure in time, and holds up no other (MESH-1)", async () => {
  const { calls, hosts, infos } = await mesh(["a", "b", "c"]);
  expect(await calls.call(["a", "b", "c"], "greet", ["x"], {})).toHaveLength(3);
  hosts.get("b")?.end();
  infos.set("b", {
    spec: { actorId: "b" },
    state: ActorState.ACTOR_STATE_DEAD,
    certificate: { reason: "gone" },
  });
  const results = await calls.call(["a", "b", "c"], "greet", ["x"], {});
  expect(results).toMatchObject([
    ok("x from a"),
    { status: "failed", error: { code: "ACTOR_DIED", details: { reason: "gone" } } },
    ok("x from c"),
  ]);
  expect(await calls.call(["c"], "never", [], { timeoutMs: 100 })).toMatchObject([
    { status: "failed", error: { code: "GET_TIMEOUT" } },
  ]);
  const abort = new AbortController();
  const aborted = calls.call(["a", "c"], "never", [], { signal: abort.signal });
  abort.abort(new Error("enough"));
  expect(await aborted).toMatchObject([{ error: { code: "CANCELLED" } }, { error: { code: "CANCELLED" } }]);
});

test("one that was restarted is found again, and is called once (MESH-2, MESHHOST-1)", async () => {
  const { calls, hosts, members, host } = await mesh(["a", "b"]);
  await calls.call(["a", "b"], "greet", ["x"], {});
  hosts.get("b")?.end();
  await host("b", 2);
  expect(await calls.call(["a", "b"], "greet", ["y"], {})).toEqual([ok("y from a"), ok("y from b")]);
  expect(members.get("b")?.calls).toBe(1);
});

test("a call in flight when its process goes may have run: it is not sent again (MESH-2)", async () => {
  const { calls, hosts, members, host } = await mesh(["a", "b"]);
  const flying = calls.call(["b"], "never", [], {});
  await expect.poll(() => members.get("b")?.calls).toBe(1);
  const before = members.get("b");
  await host("b", 2);
  await hosts.get("a")?.close(0);
  expect(await flying).toMatchObject([{ status: "failed", error: { code: "ACTOR_UNAVAILABLE" } }]);
  expect([before?.calls, members.get("b")?.calls]).toEqual([1, 0]);
});
