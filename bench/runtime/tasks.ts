/**
 * Measures tasks per second beside calls of one actor, as Ray's microbenchmark counts them: sync = each awaited, async
 * = 1,000 in flight, payload "ok".
 */
import type { Cluster } from "../../packages/runtime/client/src/index.js";
import { Echo, echo } from "./echo.js";

const windowMs = 2_000;
const inFlight = 1_000;

export interface TaskFigures {
  readonly taskSyncPerSecond: number;
  readonly taskAsyncPerSecond: number;
  readonly callSyncPerSecond: number;
  readonly callAsyncPerSecond: number;
}

export async function measureTasks(cluster: Cluster): Promise<TaskFigures> {
  const source = { from: new URL("./echo.ts", import.meta.url) };
  const task = cluster.task(echo, source);
  const actor = await cluster.actor(Echo, source, { resources: { cpu: 0 } }).spawn();
  const figures = {
    taskSyncPerSecond: await syncRate(task),
    callSyncPerSecond: await syncRate((value) => actor.echo(value)),
    taskAsyncPerSecond: await asyncRate(task),
    callAsyncPerSecond: await asyncRate((value) => actor.echo(value)),
  };
  await actor.kill();
  return figures;
}

type Call = (value: string) => Promise<string>;

function syncRate(call: Call): Promise<number> {
  return rate(async () => {
    for (let index = 0; index < 20; index++) await call("ok");
    return 20;
  });
}

function asyncRate(call: Call): Promise<number> {
  return rate(async () => {
    await Promise.all(Array.from({ length: inFlight }, () => call("ok")));
    return inFlight;
  });
}

async function rate(step: () => Promise<number>): Promise<number> {
  for (const warmUntil = performance.now() + windowMs / 2; performance.now() < warmUntil; ) await step();
  const startedAt = performance.now();
  let done = 0;
  while (performance.now() - startedAt < windowMs) done += await step();
  return done / ((performance.now() - startedAt) / 1_000);
}
