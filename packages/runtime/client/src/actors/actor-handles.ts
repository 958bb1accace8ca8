/**
 * Responsibility: the handles of one connection. All handles of an actor share one channel, which exists as long as
 * the actor is not dead and one of its handles exists.
 * Not responsible for: calls (actor-channel.ts), or creating actors (actor-type.ts).
 */
import { systemClock } from "@palimpsest/std";
import { headService, type Network, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import { actorView } from "../base/actor-view.js";
import type { HeadClient } from "../base/head-client.js";
import { ActorChannel } from "../calls/actor-channel.js";
import { SharedStreams } from "../calls/shared-streams.js";
import type { ValueStore } from "../values/value-store.js";
import { type ActorHandle, createHandle } from "./actor-handle.js";
import { DeathWatches } from "./death-watches.js";

/** The milliseconds that ResolveActor gets to answer, in addition to the time for which it waits by itself. */
const resolveSlackMs = 2_000;

export interface ActorHandlesDeps {
  readonly head: HeadClient;
  readonly network: Network;
  readonly callTimeoutMs: number;
  /** The caller's name, which listings of calls show. */
  readonly callerId?: string;
  /** If it is absent, calls carry no references. */
  readonly values?: () => ValueStore;
}

export class ActorHandles {
  readonly #deps: ActorHandlesDeps;
  readonly resolver: ActorResolver;
  readonly #deaths: DeathWatches;
  readonly #shared: SharedStreams;
  /** Channels of dead actors are dropped, and those without handles are garbage-collected. */
  readonly #channels = new Map<string, WeakRef<ActorChannel>>();
  readonly #collected = new FinalizationRegistry<string>((actorId) => {
    if (this.#channels.get(actorId)?.deref() === undefined) this.#channels.delete(actorId);
  });

  constructor(deps: ActorHandlesDeps) {
    this.#deps = deps;
    this.resolver = {
      resolve: (actorId, knownIncarnation, waitMs, signal) =>
        deps.head.call(
          headService.resolveActor,
          { actorId, knownIncarnation, waitMs },
          { timeoutMs: waitMs + resolveSlackMs, signal },
        ),
    };
    this.#deaths = new DeathWatches(this.resolver);
    const { network, callerId } = deps;
    this.#shared = new SharedStreams({ network, callerId, clock: systemClock });
  }

  handle<Instance>(actorId: string, maxTaskRetries: number): ActorHandle<Instance> {
    const { head, callTimeoutMs, values } = this.#deps;
    return createHandle<Instance>({
      channel: this.#channelOf(actorId),
      values: values?.(),
      reference: { maxTaskRetries },
      defaults: {
        timeoutMs: callTimeoutMs,
        retries: maxTaskRetries < 0 ? Number.POSITIVE_INFINITY : maxTaskRetries,
      },
      info: async () => actorView(await head.call(headService.resolveActor, { actorId, waitMs: 0 })),
      onDeath: (listener) => this.#deaths.watch(actorId, listener),
      kill: async (restart) => {
        // A request that is repeated because its answer was lost must not also crash the next incarnation.
        const known = restart ? await head.call(headService.resolveActor, { actorId, waitMs: 0 }) : {};
        const incarnation = known.incarnation ?? 0;
        const killed = await head.call(headService.killActor, { actorId, noRestart: !restart, incarnation });
        // The session reports the death too, but possibly after this answer, and a later call must not find the
        // process alive.
        if (killed.state === proto.ActorState.ACTOR_STATE_DEAD) this.noticeDeath(killed);
      },
    });
  }

  /** Handles the head's report that an actor has permanently died. */
  noticeDeath(info: proto.ActorInfo.$Properties): void {
    this.#deaths.notice(info);
    this.#channels
      .get(info.spec?.actorId ?? "")
      ?.deref()
      ?.noticeDeath(info);
  }

  close(): void {
    this.#deaths.close();
    for (const channel of this.#channels.values()) channel.deref()?.close();
    this.#channels.clear();
    this.#shared.close(new PalimpsestError("CANCELLED", "the connection to the cluster was closed"));
  }

  #channelOf(actorId: string): ActorChannel {
    const known = this.#channels.get(actorId)?.deref();
    if (known) return known;
    const channel = new ActorChannel({
      actorId,
      network: this.#deps.network,
      callerId: this.#deps.callerId,
      resolver: this.resolver,
      shared: this.#shared,
      onDead: () => this.#channels.delete(actorId),
    });
    this.#channels.set(actorId, new WeakRef(channel));
    this.#collected.register(channel, actorId);
    return channel;
  }
}
