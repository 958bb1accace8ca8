/**
 * Responsibility: notifies the watchers of an actor that it has permanently died, whoever owns it.
 * Not responsible for: calls (actor-channel.ts), which fail by themselves.
 *
 * Invariants:
 * - WATCH-1. Each listener is called once, with the certificate that the head has, also if the actor was dead before,
 *   and never after it was removed. A restart is not a death.
 */
import { Backoff, type Clock, delay, systemClock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import { type ActorInfo, actorView } from "../base/actor-view.js";

/** An incarnation that is never reached, so that the head answers early only after a death. */
const noIncarnation = 2 ** 31 - 1;
const askMs = 30_000;
const backoffLimits = { firstMs: 100, longestMs: 5_000 };

export type DeathListener = (info: ActorInfo) => void;

interface Watch {
  readonly listeners: Set<DeathListener>;
  readonly abort: AbortController;
}

export class DeathWatches {
  readonly #resolver: ActorResolver;
  readonly #clock: Clock;
  readonly #watches = new Map<string, Watch>();

  constructor(resolver: ActorResolver, clock: Clock = systemClock) {
    this.#resolver = resolver;
    this.#clock = clock;
  }

  /** @returns a function that stops watching */
  watch(actorId: string, listener: DeathListener): () => void {
    let watch = this.#watches.get(actorId);
    if (watch === undefined) {
      watch = { listeners: new Set(), abort: new AbortController() };
      this.#watches.set(actorId, watch);
      void this.#follow(actorId, watch);
    }
    // Each call registers a new function, so that one listener may be added twice.
    const own: DeathListener = (info) => listener(info);
    watch.listeners.add(own);
    const { listeners, abort } = watch;
    return () => {
      listeners.delete(own);
      if (listeners.size > 0 || this.#watches.get(actorId)?.listeners !== listeners) return;
      this.#watches.delete(actorId);
      abort.abort();
    };
  }

  /** Handles the head's report that an actor has permanently died. */
  notice(info: proto.ActorInfo.$Properties): void {
    const actorId = info.spec?.actorId ?? "";
    const watch = this.#watches.get(actorId);
    if (watch === undefined) return;
    this.#watches.delete(actorId);
    watch.abort.abort();
    const view = actorView(info);
    for (const listener of watch.listeners) {
      try {
        listener(view);
      } catch (reason) {
        // Rethrown in a separate tick, as EventTarget does, so that the other listeners and the actor's calls
        // learn of the death all the same.
        process.nextTick(() => {
          throw reason;
        });
      }
    }
  }

  close(): void {
    for (const { abort } of this.#watches.values()) abort.abort();
    this.#watches.clear();
  }

  async #follow(actorId: string, { abort }: Watch): Promise<void> {
    const { signal } = abort;
    const backoff = new Backoff(backoffLimits);
    while (!signal.aborted) {
      try {
        const info = await this.#resolver.resolve(actorId, noIncarnation, askMs, signal);
        backoff.reset();
        if (!signal.aborted && info.state === proto.ActorState.ACTOR_STATE_DEAD) this.notice(info);
      } catch (reason) {
        if (signal.aborted) return;
        const { code, message } = PalimpsestError.from(reason);
        if (code === "NOT_FOUND") {
          this.notice({ spec: { actorId }, state: dead, certificate: { reason: message } });
          return;
        }
        await delay(backoff.next(), signal, this.#clock);
      }
    }
  }
}

const dead = proto.ActorState.ACTOR_STATE_DEAD;
