import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, PalimpsestError } from "@palimpsest/client";
import { Counter } from "./work.js";

const source = { from: new URL("./work.ts", import.meta.url) };

async function failureOf(promise: Promise<unknown>): Promise<PalimpsestError> {
  try {
    await promise;
  } catch (reason) {
    return PalimpsestError.from(reason);
  }
  throw new Error("it should have failed");
}

export async function failures(cluster: Cluster) {
  const counters = cluster.actor(Counter, source);
  const counter = await counters.spawn(0);
  const thrown = await failureOf(counter.divide(0));
  const cause = thrown.cause as Error; // code ACTOR_ERROR; the actor lives on

  const late = await failureOf(counter.with({ timeoutMs: 200 }).sleep());

  const mortal = await counters.spawn(0);
  await failureOf(mortal.crash());
  const dead = await failureOf(mortal.add(1)); // its details are the death certificate

  const folder = mkdtempSync(join(tmpdir(), "crash-"));
  const lasting = await counters.options({ maxRestarts: 1, maxTaskRetries: 1 }).spawn(0);
  const again = await lasting.crashOnce(join(folder, "crashed"));
  rmSync(folder, { recursive: true });
  return {
    cause: cause.message,
    isLate: late.code === "GET_TIMEOUT",
    isDead: dead.code === "ACTOR_DIED",
    again,
  };
}
