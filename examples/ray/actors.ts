import { ActorPool, type Cluster } from "@palimpsest/client";
import { Counter, Meeting } from "./work.js";

const source = { from: new URL("./work.ts", import.meta.url) };

export async function actors(cluster: Cluster) {
  const counters = cluster.actor(Counter, source);
  const counter = await counters.spawn(10);
  const first = await counter.add(1);
  const next = await Promise.all([counter.add(1), counter.add(1), counter.add(1)]);

  const sum = await counter.sum(Float64Array.of(0.5, 1, 1.5));

  const streamed: number[] = [];
  for await (const item of counter.squares(4)) streamed.push(item);

  const named = counters.options({ name: "tally", resources: { cpu: 0.5 } });
  const tally = await named.getOrCreate(100);
  const same = await named.getOrCreate(0);
  await same.add(5);
  const found = await (await cluster.getActor<Counter>("tally")).add(1);
  await tally.kill();

  const meeting = await cluster.actor(Meeting, source, { maxConcurrency: 2 }).spawn();
  const met = await Promise.all([meeting.join(2), meeting.join(2)]);

  const pool = new ActorPool<Counter, number>(
    await Promise.all([0, 0].map((start) => counters.spawn(start))),
  );
  const pooled: number[] = [];
  for await (const value of pool.map((actor, amount) => actor.sum(Float64Array.of(amount, 1)), [1, 2, 3]))
    pooled.push(value);
  pool.submit((actor) => actor.sum(Float64Array.of(4)), undefined);
  pooled.push(await pool.next());
  return { first, next, sum, streamed, found, met, pooled };
}
