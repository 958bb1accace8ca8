import { setTimeout as delay } from "node:timers/promises";
import type { ActorHandle } from "@palimpsest/client";

const lookEveryMs = 200;

/**
 * Has an actor begin anew, as after a crash, and waits until that has begun: a call that follows cannot reach the process
 * that is on its way out.
 * @throws what the head says; the signal's reason
 */
export async function restartActor(
  actor: Pick<ActorHandle<object>, "info" | "kill">,
  signal: AbortSignal,
): Promise<void> {
  const { incarnation } = await actor.info();
  await actor.kill({ restart: true });
  for (;;) {
    const now = await actor.info();
    // The next call to a dead one says why.
    if (now.incarnation > incarnation || now.state === "dead") return;
    await delay(lookEveryMs, undefined, { signal });
  }
}
