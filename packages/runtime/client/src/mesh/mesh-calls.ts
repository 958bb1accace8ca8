/**
 * Responsibility: one call to many actors: finds the process of each, sends one message to each process, and returns
 * the outcome of each call as a value.
 * Not responsible for: the selection of the actors (mesh.ts).
 *
 * Invariants:
 * - MESH-1. Each member has one outcome, a value or an error, in the order of the members, at the latest at the
 *   call's deadline. The outcome of one member does not affect another.
 * - MESH-2. A member's method runs at most once per call: the call is sent again only if it certainly has not run.
 */
import { setMaxListeners } from "node:events";
import { type Clock, delay, systemClock } from "@palimpsest/std";
import { Deadlines, holdProcess, type Network, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import { actorTitle, certificateDetails, diedError } from "../base/death.js";
import { encodeArguments } from "../calls/call-arguments.js";
import type { PendingCall } from "../calls/pending-call.js";
import { inlineValue, type ReadyValue } from "../values/outgoing-value.js";
import type { ValueStore } from "../values/value-store.js";
import { type MeshCarrier, MeshMemberCall, type MeshOutcome } from "./mesh-member-call.js";
import { MeshProcess } from "./mesh-process.js";

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;
const resolveWaitMs = 10_000;
/** The milliseconds for which a call waits for the head's report about a process whose stream broke. */
const newsWaitMs = 1_000;
const retryMs = 100;

/** Settings of one call to the members of a mesh. */
export interface MeshCallSettings {
  /** Milliseconds from the call until members without an answer fail with GET_TIMEOUT. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface MeshCallsDeps {
  readonly network: Network;
  readonly resolver: ActorResolver;
  /** If it is absent, calls carry no references. */
  readonly values?: ValueStore | undefined;
  readonly callTimeoutMs: number;
  readonly clock?: Clock;
}

interface Location {
  readonly address: string;
  readonly incarnation: number;
}

/** The content of one call to many members. It is sent once to each process that hosts some of them. */
interface Message {
  readonly method: string;
  readonly ready: ReadyValue;
  /** Calls that are sent at the end of this turn, by the address of their process. */
  readonly outbox: Map<string, MeshMemberCall[]>;
}

/** Carries mesh calls: one message per process that hosts members, one outcome per member. */
export class MeshCalls implements MeshCarrier {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly #deps: MeshCallsDeps;
  readonly #abort = new AbortController();
  readonly #locations = new Map<string, Location>();
  readonly #processes = new Map<string, MeshProcess>();
  /** Calls without an outcome, with their arguments. */
  readonly #messages = new Map<PendingCall, Message>();
  /** The same calls by actor, so that when a node with thousands of actors dies, each death finds its own calls. */
  readonly #callsTo = new Map<string, Set<MeshMemberCall>>();

  constructor(deps: MeshCallsDeps) {
    this.#deps = deps;
    this.clock = deps.clock ?? systemClock;
    this.deadlines = new Deadlines(this.clock);
    // Each member that is being searched adds a listener.
    setMaxListeners(0, this.#abort.signal);
  }

  /** @throws {PalimpsestError} for arguments that cannot be sent; a member's failure is its outcome */
  async call(
    actorIds: readonly string[],
    method: string,
    args: readonly unknown[],
    settings: MeshCallSettings,
  ): Promise<readonly MeshOutcome[]> {
    const { values, callTimeoutMs } = this.#deps;
    const { value: outgoing, signal } = encodeArguments(args, values);
    const timeoutMs = settings.timeoutMs ?? callTimeoutMs;
    const signals = [settings.signal, signal].filter((given) => given !== undefined);
    const release = holdProcess();
    try {
      const ready = (await outgoing.preparing) ?? { bytes: outgoing.bytes, object: undefined };
      const message: Message = { method, ready, outbox: new Map() };
      const nothing = inlineValue(new Uint8Array());
      const calls = actorIds.map((actorId) => {
        const options = { method, args: nothing, values, timeoutMs, signals, retries: 0 };
        const call = new MeshMemberCall(actorId, options, this);
        if (this.#abort.signal.aborted) call.fail(closedError());
        else this.#expect(call, message);
        const location = this.#locations.get(actorId);
        if (location) this.#enqueue(call, location);
        else void this.#find(call);
        return call;
      });
      return await Promise.all(calls.map((call) => call.outcome()));
    } finally {
      release();
      outgoing.release();
    }
  }

  settled(call: PendingCall): void {
    this.#messages.delete(call);
    if (!(call instanceof MeshMemberCall)) return;
    const calls = this.#callsTo.get(call.actorId);
    if (calls?.delete(call) && calls.size === 0) this.#callsTo.delete(call.actorId);
  }

  #expect(call: MeshMemberCall, message: Message): void {
    this.#messages.set(call, message);
    const calls = this.#callsTo.get(call.actorId);
    if (calls) calls.add(call);
    else this.#callsTo.set(call.actorId, new Set([call]));
  }

  abandon(call: PendingCall): void {
    if (call instanceof MeshMemberCall) call.process?.abandon(call);
  }

  notThere(call: MeshMemberCall): void {
    this.#locations.delete(call.actorId);
    void this.#find(call, call.incarnation);
  }

  /** Handles the head's report that an actor has permanently died. */
  noticeDeath(info: proto.ActorInfo.$Properties): void {
    const actorId = info.spec?.actorId ?? "";
    this.#locations.delete(actorId);
    for (const call of [...(this.#callsTo.get(actorId) ?? [])]) call.fail(diedError(info));
  }

  /** Handles an item of a generator, with which the call fails. */
  grant(): void {}

  prepared(): void {}

  close(): void {
    this.#abort.abort();
    for (const call of [...this.#messages.keys()]) call.fail(closedError());
    for (const process of this.#processes.values()) process.close(closedError());
    this.#processes.clear();
  }

  #enqueue(call: MeshMemberCall, { address, incarnation }: Location): void {
    const message = this.#messages.get(call);
    if (message === undefined) return;
    call.incarnation = incarnation;
    if (message.outbox.size === 0) setImmediate(() => this.#flush(message));
    const waiting = message.outbox.get(address);
    if (waiting) waiting.push(call);
    else message.outbox.set(address, [call]);
  }

  #flush({ outbox, method, ready }: Message): void {
    const { object } = ready;
    const args = object
      ? { argsObject: { objectId: Buffer.from(object.objectId, "hex"), sizeBytes: object.sizeBytes } }
      : { args: ready.bytes };
    for (const [address, calls] of outbox) {
      const process = this.#processAt(address);
      for (const call of calls) call.process = process;
      const members = calls.map(({ actorId, incarnation, span }) => ({
        actorId,
        incarnation,
        traceparent: span?.traceparent ?? "",
      }));
      const timeoutMs = calls[0]?.remainingMs() ?? 0;
      void process.send(calls, members, { method, timeoutMs, ...args });
    }
    outbox.clear();
  }

  #processAt(address: string): MeshProcess {
    const known = this.#processes.get(address);
    if (known) return known;
    const process: MeshProcess = new MeshProcess({
      ...{ address, network: this.#deps.network, clock: this.clock },
      onBreak: (unanswered, error, opened) => {
        if (this.#processes.get(address) === process) this.#processes.delete(address);
        for (const call of unanswered) this.#broken(call as MeshMemberCall, error, opened);
      },
    });
    this.#processes.set(address, process);
    return process;
  }

  #broken(call: MeshMemberCall, error: PalimpsestError, opened: boolean): void {
    this.#locations.delete(call.actorId);
    if (opened) void this.#judge(call, error);
    else void this.#find(call, call.incarnation);
  }

  /** Handles a call that may have run (MESH-2): the head reports whether its actor has died. */
  async #judge(call: MeshMemberCall, cause: PalimpsestError): Promise<void> {
    const info = await this.#ask(call.actorId, call.incarnation, newsWaitMs).catch(() => undefined);
    if (info?.state === ACTOR_STATE_DEAD) call.fail(diedError(info));
    else
      call.fail(
        new PalimpsestError(
          "ACTOR_UNAVAILABLE",
          `${info ? actorTitle(info) : call.actorId} went away while ${call.method} was in flight (${info?.certificate?.reason || cause.rawMessage}); the call may or may not have run`,
          { details: info ? certificateDetails(info) : { actorId: call.actorId }, cause },
        ),
      );
  }

  /** Sends the call when its actor is alive. @param tried the incarnation that was not there */
  async #find(call: MeshMemberCall, tried = 0): Promise<void> {
    call.callId = 0;
    call.process = undefined;
    // The head may not have learned of its end yet, or its process may be temporarily unreachable.
    if (tried > 0) await delay(retryMs, this.#abort.signal, this.clock);
    while (!call.settled) {
      try {
        const info = await this.#ask(call.actorId, 0, resolveWaitMs);
        if (info.state === ACTOR_STATE_DEAD) call.fail(diedError(info));
        if (info.state !== ACTOR_STATE_ALIVE) continue;
        const location = { address: info.address ?? "", incarnation: info.incarnation ?? 0 };
        this.#locations.set(call.actorId, location);
        this.#enqueue(call, location);
        return;
      } catch (reason) {
        const error = PalimpsestError.from(reason);
        if (error.code === "NOT_FOUND") call.fail(error);
        else await delay(retryMs, this.#abort.signal, this.clock);
      }
    }
  }

  #ask(actorId: string, known: number, waitMs: number): Promise<proto.ActorInfo.$Properties> {
    return this.#deps.resolver.resolve(actorId, known, waitMs, this.#abort.signal);
  }
}

function closedError(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "the connection to the cluster was closed");
}
