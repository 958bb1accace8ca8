/**
 * Responsibility: one light actor's part of the stream that serves all actors of its process.
 * Not responsible for: the stream (call-stream.ts), or what happens to calls after a break (actor-channel.ts).
 *
 * Invariants:
 * - SHAREDMEMBER-1. After a break each call without an outcome is passed on exactly once: as unsent if the process
 *   reported that the actor was not there, else as one that may have run.
 * - SHAREDMEMBER-2. The member's stream breaks when the actor has left the process, and also when a call did not find
 *   the actor there and no call that may have run is outstanding.
 */
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ActorStream, OnBreak } from "./actor-stream.js";
import type { CallStream, Recipient } from "./call-stream.js";
import type { PendingCall } from "./pending-call.js";

export interface SharedMemberDeps {
  readonly clock: Clock;
  readonly to: { readonly actorId: string; readonly incarnation: number };
  readonly onBreak: OnBreak;
  /** Removes it from the stream. */
  readonly onClosed: (member: SharedMember) => void;
}

export class SharedMember implements ActorStream, Recipient {
  readonly #deps: SharedMemberDeps;
  #stream: CallStream | undefined;
  /** Created with the first call, because of thousands of actors few have calls in progress. */
  #calls: Map<number, PendingCall> | undefined;
  #unsent: PendingCall[] = [];
  #heardAtMs = 0;
  #broken = false;

  constructor(deps: SharedMemberDeps) {
    this.#deps = deps;
  }

  get to(): proto.MeshMember.$Properties & { readonly actorId: string } {
    return this.#deps.to;
  }

  get incarnation(): number {
    return this.#deps.to.incarnation;
  }

  get size(): number {
    return this.#calls?.size ?? 0;
  }

  get broken(): boolean {
    return this.#broken;
  }

  get silentMs(): number {
    return this.size === 0 ? 0 : this.#deps.clock.monotonicMs() - this.#heardAtMs;
  }

  /** Handles that the process has accepted the stream. */
  opened(stream: CallStream): void {
    this.#stream = stream;
  }

  send(call: PendingCall): void {
    if (this.#broken || !this.#stream) return;
    this.#calls ??= new Map();
    if (this.#calls.size === 0) this.#heardAtMs = this.#deps.clock.monotonicMs();
    this.#stream.send(call, this);
    this.#calls.set(call.callId, call);
  }

  abandon(call: PendingCall): void {
    if (!this.#take(call)) return;
    this.#stream?.abandon(call);
    this.#breakIfGone();
  }

  grant(call: PendingCall, items: number, bytes: number): void {
    this.#stream?.grant(call, items, bytes);
  }

  close(error: PalimpsestError): void {
    for (const call of this.#calls?.values() ?? []) this.#stream?.abandon(call);
    this.break(error);
  }

  replied(call: PendingCall): void {
    this.#take(call);
    this.#breakIfGone();
  }

  notThere(call: PendingCall, error: PalimpsestError): void {
    this.#take(call);
    this.#unsent.push(call);
    this.#breakIfGone(error);
  }

  /** Handles that the actor has left, or that the stream has closed. */
  break(error: PalimpsestError): void {
    if (this.#broken) return;
    this.#broken = true;
    const unanswered = [...(this.#calls?.values() ?? [])];
    for (const call of unanswered) this.#stream?.forget(call);
    this.#stream = undefined;
    this.#calls = undefined;
    const unsent = this.#unsent.splice(0).filter((call) => !call.settled);
    for (const call of unsent) call.callId = 0;
    this.#deps.onClosed(this);
    this.#deps.onBreak(error, unanswered, unsent);
  }

  /** SHAREDMEMBER-2 */
  #breakIfGone(error?: PalimpsestError): void {
    if (this.#unsent.length === 0 || this.size > 0) return;
    const { actorId } = this.#deps.to;
    this.break(error ?? new PalimpsestError("ACTOR_UNAVAILABLE", `${actorId} is no longer in that process`));
  }

  #take(call: PendingCall): boolean {
    this.#heardAtMs = this.#deps.clock.monotonicMs();
    const had = this.#calls?.delete(call.callId) ?? false;
    if (this.#calls?.size === 0) this.#calls = undefined;
    return had;
  }
}
