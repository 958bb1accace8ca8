import type { PalimpsestError } from "@palimpsest/wire";
import type { PendingCall } from "./pending-call.js";

/** A way to one process of an actor: a stream of its own, or one that it shares (shared-streams.ts). */
export interface ActorStream {
  readonly incarnation: number;
  /** Calls on their way or waiting for their reply. */
  readonly size: number;
  readonly broken: boolean;
  /** Milliseconds for which calls have waited without a word from the actor; 0 when none waits. */
  readonly silentMs: number;
  send(call: PendingCall): void;
  /** The caller does not wait for it any more. */
  abandon(call: PendingCall): void;
  grant(call: PendingCall, items: number, bytes: number): void;
  /** Ends it; calls without an outcome are handed to its OnBreak. */
  close(error: PalimpsestError): void;
}

/**
 * Called once when the way is closed.
 * @param unanswered calls that may have run, in the order in which they were sent
 * @param unsent calls that have surely not run and were sent after those
 */
export type OnBreak = (
  error: PalimpsestError,
  unanswered: readonly PendingCall[],
  unsent?: readonly PendingCall[],
) => void;
