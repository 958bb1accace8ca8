import type { ActorHandle } from "@palimpsest/client";
import { delay } from "@palimpsest/std";

const lookEveryMs = 200;

/**
 * Restarts an actor, as after a crash, and waits until its new process has started, so that the next call cannot reach
 * the process that is ending.
 * @throws the head's error; the signal's reason
 */
export async function restartActor(
  actor: Pick<ActorHandle<object>, "info" | "kill">,
  signal: AbortSignal,
): Promise<void> {
  const { incarnation } = await actor.info();
  await actor.kill({ restart: true });
  for (;;) {
    const now = await actor.info();
    // The next call to a dead actor fails with the reason.
    if (now.incarnation > incarnation || now.state === "dead") return;
    await delay(lookEveryMs, signal);
    signal.throwIfAborted();
  }
}
