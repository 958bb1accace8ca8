import type { HeadClient } from "@palimpsest/client";
import { delay, systemClock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { headService, type PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { Commits } from "./commits.js";
import { DurableActor } from "./durable-actor.js";
import { KeptCalls } from "./kept-calls.js";
import { readRecord } from "./record.js";

const retryPauseMs = 200;

/** Fences commits of the actor's earlier processes, and reads what they have committed. @throws {PalimpsestError} */
export async function openDurable(
  spec: proto.ActorSpec.$Properties,
  incarnation: number,
  deps: {
    readonly head: HeadClient;
    readonly logger: Logger;
    /** Called when nothing can be committed any more, so that the process must end. */
    readonly onRefused: (error: PalimpsestError) => void;
  },
): Promise<DurableActor> {
  const actorId = spec.actorId ?? "";
  const { head, logger, onRefused } = deps;
  const opened = await head.call(headService.openDurable, { actorId, incarnation });
  const { epoch = 0, version = 0, fields = [] } = opened;
  const loaded = readRecord(
    (fields ?? []).map(({ name, value }) => ({ name: name ?? "", value: value ?? new Uint8Array() })),
  );
  const commits = new Commits({
    version: version ?? 0,
    commit: async (next, { set, remove }) => {
      const request = { actorId, epoch, version: next, set: [...set], remove: [...remove] };
      await head.call(headService.commitDurable, request);
    },
    pause: () => delay(retryPauseMs),
    onRefused,
  });
  return new DurableActor({
    ...{ name: spec.name ?? "", clock: systemClock, commits, kept: new KeptCalls(loaded, systemClock) },
    ...{ state: loaded.state, timers: loaded.timers },
    onTimerFailed: (name, reason) =>
      logger.warn({ err: reason, timer: name }, "the method of a timer threw: it will be retried"),
  });
}
