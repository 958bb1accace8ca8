/** Puts, sends, keeps and drops references in random orders while processes are killed, and reports what is left. */
import type { ActorHandle, HeldObject, ObjectRef } from "@palimpsest/client";
import { Random } from "../simulation/world/random.js";
import { collect } from "./collect.js";
import type { TestCluster } from "./test-cluster.js";
import { until } from "./until.js";
import { ValueKeeper } from "./value-keeper.js";

export type Struck = "actor" | "head" | "node";

interface ReferenceChaosOptions {
  readonly references: number;
  /** What is killed with SIGKILL, one after the other, each while references are in flight. */
  readonly strikes: readonly Struck[];
  readonly seed: string;
}

interface ReferenceChaosResult {
  /** The number of calls with references that failed because they were in flight during a kill. */
  readonly failedCalls: number;
  /** Objects that are still under a lease although every reference was dropped. */
  readonly held: readonly HeldObject[];
  /** Copies that a reader made and that no lease keeps. */
  readonly copies: readonly HeldObject[];
}

const source = { from: new URL("./value-keeper.ts", import.meta.url) };
const perCall = 250;
const largeBytes = 150_000;

/** @param cluster with two nodes, each of which has room for one of the two actors that keep references */
export async function dropInAnyOrder(
  cluster: TestCluster,
  { references, strikes, seed }: ReferenceChaosOptions,
): Promise<ReferenceChaosResult> {
  const random = new Random(seed);
  const { client } = cluster;
  const kept = client.actor(ValueKeeper, source, {
    ...{ resources: { cpu: 3 }, maxRestarts: -1, maxTaskRetries: -1 },
  });
  const keepers = [await kept.spawn(), await kept.spawn()] as const;
  await Promise.all(keepers.map((keeper) => keeper.ready()));
  const refs: ObjectRef<unknown>[] = [];
  let failedCalls = 0;
  const tried = async (call: PromiseLike<unknown>) => {
    try {
      await call;
    } catch {
      failedCalls++;
    }
  };
  const keeper = (): ActorHandle<ValueKeeper> => keepers[random.below(2)] ?? keepers[0];
  const takeOne = () => {
    const at = random.below(refs.length);
    const last = refs.pop();
    const taken = refs[at];
    if (last !== undefined && taken !== undefined) refs[at] = last;
    return taken ?? last;
  };
  const perRound = Math.ceil(references / (strikes.length + 1));
  for (const strike of [...strikes, undefined]) {
    const first = refs.length;
    for (let index = 0; index < perRound; index++)
      refs.push(await client.put(index % 100 === 0 ? new Uint8Array(largeBytes).fill(index) : index));
    // One value refers to other values and keeps them.
    refs.push(await client.put({ some: refs.slice(-50) }));
    const calls: Promise<void>[] = [];
    const struck = strike && kill(cluster, strike, keepers);
    for (let at = first; at < refs.length; at += perCall) {
      calls.push(tried(keeper().keep(refs.slice(at, at + perCall))));
      // Both actors read some values, so that the nodes have copies of each other's values.
      calls.push(tried(keeper().keptValues()));
      if (random.below(3) === 0) calls.push(tried(keeper().drop()));
      for (let drops = 0; drops < perCall / 2; drops++) takeOne()?.release();
      await Promise.race([calls.at(-1), new Promise((resolve) => setImmediate(resolve))]);
    }
    await struck;
    await Promise.all(calls);
  }
  while (refs.length > 0) takeOne()?.release();
  const left = async () => (await client.memory({ limit: 10_000 })).objects;
  await until(
    "the store is empty",
    async () => {
      collect();
      await Promise.all(keepers.map((one) => one.drop()));
      return (await left()).length === 0;
    },
    { everyMs: 500 },
  ).catch(() => undefined);
  const objects = await left();
  return {
    failedCalls,
    held: objects.filter(({ isCopy }) => !isCopy),
    copies: objects.filter(({ isCopy }) => isCopy),
  };
}

async function kill(
  cluster: TestCluster,
  strike: Struck,
  keepers: readonly ActorHandle<ValueKeeper>[],
): Promise<void> {
  if (strike === "head") {
    cluster.head.kill("SIGKILL");
    await cluster.head.ended;
    await cluster.startHead();
    return;
  }
  if (strike === "node") {
    const [node] = cluster.workers.filter(({ running }) => running);
    node?.kill("SIGKILL");
    await node?.ended;
    await cluster.startWorker();
    return;
  }
  const ids = keepers.map(({ actorId }) => actorId);
  const victim = (await cluster.client.actors()).find(
    ({ actorId, state }) => state === "alive" && ids.includes(actorId),
  );
  if (victim) process.kill(victim.pid, "SIGKILL");
}
