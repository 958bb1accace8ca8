/**
 * Responsibility: the streams of one program to processes of light actors: one to each process, for all actors that
 * the program calls there.
 * Not responsible for: one actor's part of a stream (shared-member.ts), or finding actors (actor-search.ts).
 *
 * Invariants:
 * - SHAREDSTREAMS-1. To one address there is at most one stream. It stays open until it breaks, as when its process
 *   ends, or until close().
 */
import type { Clock } from "@palimpsest/std";
import { type Network, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { OnBreak } from "./actor-stream.js";
import { CallStream } from "./call-stream.js";
import { SharedMember } from "./shared-member.js";

export interface SharedStreamsDeps {
  readonly network: Network;
  readonly clock: Clock;
  /** The caller's name, which listings of calls show. */
  readonly callerId?: string | undefined;
}

export interface SharedAddress {
  /** host:port of the process's ActorHost service. */
  readonly address: string;
  readonly actorId: string;
  readonly incarnation: number;
  readonly onBreak: OnBreak;
}

/** The streams to processes of light actors, one per process and program. */
export class SharedStreams {
  readonly #deps: SharedStreamsDeps;
  readonly #processes = new Map<string, ProcessStream>();

  constructor(deps: SharedStreamsDeps) {
    this.#deps = deps;
  }

  /** Opens a stream as CallStream.open() does. */
  open(where: SharedAddress): { readonly stream: SharedMember; readonly ready: Promise<void> } {
    const { address } = where;
    let process = this.#processes.get(address);
    if (process === undefined) {
      const opened: ProcessStream = new ProcessStream(address, this.#deps, () => {
        if (this.#processes.get(address) === opened) this.#processes.delete(address);
      });
      process = opened;
      if (!opened.broken) this.#processes.set(address, opened);
    }
    return process.join(where, this.#deps.clock);
  }

  close(error: PalimpsestError): void {
    for (const process of [...this.#processes.values()]) process.close(error);
  }
}

class ProcessStream {
  readonly #stream: CallStream;
  readonly #ready: Promise<void>;
  /** Members by actor id. An actor has one living incarnation. */
  readonly #members = new Map<string, SharedMember>();

  constructor(address: string, { network, clock, callerId }: SharedStreamsDeps, onBroken: () => void) {
    const { stream, ready } = CallStream.open({
      ...{ address, network, clock, callerId, actorId: "", incarnation: 0, kind: "shared" },
      onLeft: (actors) => this.#left(actors),
      onBreak: (error) => {
        onBroken();
        for (const member of [...this.#members.values()]) member.break(error);
      },
    });
    this.#stream = stream;
    this.#ready = ready;
  }

  get broken(): boolean {
    return this.#stream.broken;
  }

  join(where: SharedAddress, clock: Clock): { readonly stream: SharedMember; readonly ready: Promise<void> } {
    const { actorId, incarnation, onBreak } = where;
    const member: SharedMember = new SharedMember({
      ...{ clock, onBreak, to: { actorId, incarnation } },
      onClosed: () => {
        if (this.#members.get(actorId) === member) this.#members.delete(actorId);
      },
    });
    this.#members.get(actorId)?.break(replaced(actorId, incarnation));
    this.#members.set(actorId, member);
    const ready = this.#ready.then(() => member.opened(this.#stream));
    ready.catch(() => undefined);
    return { stream: member, ready };
  }

  close(error: PalimpsestError): void {
    this.#stream.close(error);
  }

  #left(actors: readonly proto.MeshMember.$Properties[]): void {
    for (const { actorId, incarnation } of actors) {
      const member = this.#members.get(actorId ?? "");
      if (member?.incarnation === incarnation) member?.break(leftError(actorId ?? ""));
    }
  }
}

function leftError(actorId: string): PalimpsestError {
  return new PalimpsestError("ACTOR_UNAVAILABLE", `${actorId} has ended`);
}

function replaced(actorId: string, incarnation: number): PalimpsestError {
  return new PalimpsestError("ACTOR_UNAVAILABLE", `incarnation ${incarnation} of ${actorId} replaces it`);
}
