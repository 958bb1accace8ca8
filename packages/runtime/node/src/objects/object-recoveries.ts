/**
 * Responsibility: forwarding requests to recompute a lost result: from a program of this node to the head, and from
 * the head to the program of this node that ran the task.
 * Not responsible for: their streams (object-link.ts), or the recomputation (the program does it).
 *
 * No state of a request is kept here: a requester whose answer was lost asks again.
 */
import { errorFromProto, headService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

/** The milliseconds that are added to the time that the head itself may take to answer. */
const headSlackMs = 5_000;
const maxWaitMs = 10_000;

/** A program with a stream to this node. */
export interface RecoveringProgram {
  readonly holder: string;
  askRecovery(request: proto.RecoveryRequest.$Properties): void;
}

export interface ObjectRecoveriesDeps {
  readonly head: () => Peer;
  /** Sends over the node's link. */
  readonly send: (answer: proto.ObjectRecovered.$Properties) => void;
}

export class ObjectRecoveries {
  readonly #deps: ObjectRecoveriesDeps;
  readonly #programs = new Set<RecoveringProgram>();

  constructor(deps: ObjectRecoveriesDeps) {
    this.#deps = deps;
  }

  add(program: RecoveringProgram): void {
    this.#programs.add(program);
  }

  delete(program: RecoveringProgram): void {
    this.#programs.delete(program);
  }

  /**
   * Forwards a request of a program on this node. @throws {PalimpsestError} the owner's error; UNAVAILABLE while no
   * head answers
   */
  async ask(
    objectId: string,
    { ownerId, waitMs }: proto.RecoverValue.$Properties,
  ): Promise<proto.Recovery.$Properties> {
    if (!ownerId)
      throw new PalimpsestError("INVALID_ARGUMENT", "owner_id is empty: no program can recompute it");
    const wait = Math.min(maxWaitMs, Math.max(0, waitMs ?? 0));
    const request = { objectId, ownerId, waitMs: wait };
    const settings = { timeoutMs: wait + headSlackMs };
    const answer = await this.#deps.head().unary(headService.recoverObject, request, settings);
    if (answer.error) throw errorFromProto(answer.error);
    return { answered: answer.answered ?? false, ownerLives: answer.ownerLives ?? false };
  }

  /** Forwards the head's request to the owner, if its program is on this node. */
  wanted({ requestId, objectId, ownerId }: proto.RecoverObject.$Properties): void {
    const wish = { requestId: requestId ?? "", objectId: objectId ?? new Uint8Array() };
    for (const program of this.#programs) if (program.holder === ownerId) program.askRecovery(wish);
  }

  /** Forwards the owner's answer. */
  answered(answer: proto.ValueRecovered.$Properties): void {
    this.#deps.send(answer);
  }
}
