/**
 * Responsibility: watches a stream that may have ended without notice, as when its machine vanished: asks the head
 * about an actor that is silent while calls are in flight (CHANNEL-6).
 * Not responsible for: streams that break by themselves (call-stream.ts).
 */
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import { actorTitle } from "../base/death.js";
import type { ActorStream } from "./actor-stream.js";

const { ACTOR_STATE_DEAD, ACTOR_STATE_PENDING, ACTOR_STATE_RESTARTING } = proto.ActorState;

export interface StreamWatchOptions {
  readonly actorId: string;
  readonly resolver: ActorResolver;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The head is asked after `first` milliseconds of silence, and then at intervals that grow to `longest`. */
  readonly silenceMs: { readonly first: number; readonly longest: number };
  /** Called when the head reports that the actor has permanently died. */
  readonly onDeath: (info: proto.ActorInfo.$Properties) => void;
}

export class StreamWatch {
  readonly #options: StreamWatchOptions;
  #stream: ActorStream | undefined;
  /** Set while a timer runs. An idle stream has none. */
  #cancel: (() => void) | undefined;

  constructor(options: StreamWatchOptions) {
    this.#options = options;
  }

  /** Call it after each call that is sent on the stream. It has no effect while the stream is being watched. */
  start(stream: ActorStream): void {
    if (this.#cancel !== undefined) return;
    this.#stream = stream;
    this.#wait(stream, this.#options.silenceMs.first);
  }

  stop(): void {
    this.#stream = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(stream: ActorStream, intervalMs: number): void {
    const { clock, silenceMs } = this.#options;
    this.#cancel = clock.after(intervalMs, () => {
      if (this.#stream !== stream) return;
      if (stream.size === 0) {
        this.#cancel = undefined;
        return;
      }
      if (stream.silentMs < silenceMs.first) {
        this.#wait(stream, silenceMs.first);
        return;
      }
      void this.#verify(stream).then(() => {
        if (this.#stream === stream) this.#wait(stream, Math.min(intervalMs * 2, silenceMs.longest));
      });
    });
  }

  async #verify(stream: ActorStream): Promise<void> {
    const { actorId, resolver, signal, onDeath } = this.#options;
    let info: proto.ActorInfo.$Properties;
    try {
      info = await resolver.resolve(actorId, 0, 0, signal);
    } catch {
      // A head that is away, or has lost its tables, reports nothing about the actor.
      return;
    }
    if (this.#stream !== stream) return;
    const { state } = info;
    if (state === ACTOR_STATE_DEAD) {
      onDeath(info);
      return;
    }
    const incarnation = info.incarnation ?? 0;
    const ended = state === ACTOR_STATE_RESTARTING || state === ACTOR_STATE_PENDING;
    if (incarnation < stream.incarnation || (incarnation === stream.incarnation && !ended)) return;
    stream.close(
      new PalimpsestError(
        "ACTOR_UNAVAILABLE",
        `incarnation ${stream.incarnation} of ${actorTitle(info)} has ended according to the head`,
      ),
    );
  }
}
