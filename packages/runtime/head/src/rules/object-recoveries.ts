/**
 * Responsibility: forwarding the request to recompute a lost result to its owner, the program that ran the task, and
 * the answer to the requester.
 * Not responsible for: recomputing it, or deciding whether it is lost (the owner does both).
 *
 * Invariants:
 * - OBJECTRECOVERY-1. Each request is answered exactly once: by the owner, by the owner's end, or at its deadline. At
 *   most `maxOpen` are pending.
 */
import type { Clock } from "@palimpsest/std";
import { errorToProto, type Holder, newId, PalimpsestError, parseHolder } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { NodeTable } from "../tables/node-table.js";
import type { HolderState } from "../tables/object-holders.js";

const maxOpen = 10_000;

export interface ObjectRecoveriesDeps {
  readonly nodes: Pick<NodeTable, "all" | "send">;
  readonly stateOf: (holder: Holder) => HolderState;
  readonly clock: Clock;
}

export class ObjectRecoveries {
  readonly #deps: ObjectRecoveriesDeps;
  readonly #open = new Map<string, (answer: proto.ObjectRecovered.$Properties) => void>();

  constructor(deps: ObjectRecoveriesDeps) {
    this.#deps = deps;
  }

  /** @throws {PalimpsestError} UNAVAILABLE when too many are pending */
  async recover(
    objectId: string,
    ownerId: string,
    waitMs: number,
  ): Promise<proto.RecoverObjectResponse.$Properties> {
    const { nodes, stateOf, clock } = this.#deps;
    const state = stateOf(parseHolder(ownerId));
    if (state === "ended") return { answered: true, error: errorToProto(ownerEnded(objectId, ownerId)) };
    if (this.#open.size >= maxOpen)
      throw new PalimpsestError(
        "UNAVAILABLE",
        `${maxOpen} lost objects are already being recovered: retry later`,
      );
    const requestId = newId("request");
    const answer = await new Promise<proto.ObjectRecovered.$Properties | undefined>((resolve) => {
      const cancel = clock.after(waitMs, () => resolve(undefined));
      this.#open.set(requestId, (given) => {
        cancel();
        resolve(given);
      });
      // The request is sent to every node, because any of them may have the stream of the owner's values, and streams
      // come and go.
      const recoverObject = { requestId, objectId: Buffer.from(objectId, "hex"), ownerId };
      for (const { nodeId } of nodes.all()) nodes.send(nodeId, { recoverObject });
    });
    this.#open.delete(requestId);
    if (answer === undefined) return { answered: false, ownerLives: state === "alive" };
    return { answered: true, ownerLives: true, ...(answer.error ? { error: answer.error } : {}) };
  }

  answered(answer: proto.ObjectRecovered.$Properties): void {
    this.#open.get(answer.requestId ?? "")?.(answer);
  }
}

function ownerEnded(objectId: string, ownerId: string): PalimpsestError {
  return new PalimpsestError(
    "OBJECT_LOST",
    `object ${objectId} is not available: ${ownerId}, which ran the task whose result it was and could run it again, has ended`,
    { details: { objectId } },
  );
}
