/** Actors are created and called: one after the other, and several at once. Each is killed when it has answered. */
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "../../packages/runtime/client/src/index.js";
import { Echo } from "./echo.js";

/** A rest between measurements, in which the warm processes that a burst has used up are started again. */
const restMs = 2_500;

export interface ActorFigures {
  /** Milliseconds to spawn and call one actor after a rest. */
  readonly oneMs: number;
  /** Milliseconds for two at once after a rest. */
  readonly pairMs: number;
  /** Actors per second of sixteen at once, without a rest, so that each needs a new process. */
  readonly burstPerSecond: number;
}

export async function measureActors(cluster: Cluster): Promise<ActorFigures> {
  const type = cluster.actor(
    Echo,
    { from: new URL("./echo.ts", import.meta.url) },
    { resources: { cpu: 0.01 } },
  );
  async function created(count: number): Promise<number> {
    const startedAt = performance.now();
    const handles = await Promise.all(Array.from({ length: count }, () => type.spawn()));
    await Promise.all(handles.map((handle) => handle.echo("ok")));
    const tookMs = performance.now() - startedAt;
    await Promise.all(handles.map((handle) => handle.kill()));
    return tookMs;
  }
  await created(1);
  await delay(restMs);
  const oneMs = await created(1);
  await delay(restMs);
  const pairMs = await created(2);
  const burst = 16;
  const burstPerSecond = burst / ((await created(burst)) / 1_000);
  await delay(restMs);
  return { oneMs, pairMs, burstPerSecond };
}
