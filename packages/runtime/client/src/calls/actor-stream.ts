import type { PalimpsestError } from "@palimpsest/wire";
import type { PendingCall } from "./pending-call.js";

/** A stream to one process of an actor, either of its own or shared (shared-streams.ts). */
export interface ActorStream {
  readonly incarnation: number;
  /** The number of calls that were sent, or wait to be sent, and have no reply. */
  readonly size: number;
  readonly broken: boolean;
  /** Milliseconds for which calls have waited without a message from the actor; 0 if none waits. */
  readonly silentMs: number;
  send(call: PendingCall): void;
  /** Records that the caller no longer waits for the call. */
  abandon(call: PendingCall): void;
  grant(call: PendingCall, items: number, bytes: number): void;
  /** Ends the stream. Calls without an outcome are passed to its OnBreak. */
  close(error: PalimpsestError): void;
}

/**
 * Called once when the stream has closed.
 * @param unanswered calls that may have run, in the order in which they were sent
 * @param unsent calls that certainly have not run, in their order after those
 */
export type OnBreak = (
  error: PalimpsestError,
  unanswered: readonly PendingCall[],
  unsent?: readonly PendingCall[],
) => void;
