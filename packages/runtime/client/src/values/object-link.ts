/**
 * Responsibility: this program's stream to the node of its machine: orders about values and their answers, many per
 * message.
 * Not responsible for: choosing the node, or repeating orders after a break (value-store.ts).
 *
 * Invariants:
 * - VALUELINK-1. Orders reach the node in the order of order().
 * - VALUELINK-2. Each order is answered once: by the node, its deadline, or the end of the stream with UNAVAILABLE.
 */

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ClientDuplexStream } from "@grpc/grpc-js";
import type { Clock } from "@palimpsest/std";
import { whenAborted } from "@palimpsest/std";
import {
  collectBuffers,
  errorFromProto,
  errorToProto,
  fromGrpcError,
  objectsService,
  PalimpsestError,
  type Peer,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { AheadWrites } from "./ahead-writes.js";

const maxBatchBytes = 1024 * 1024;
/** The bytes that an object id of 20 or 32 bytes is counted with when the size of an order is estimated. */
const orderedIdBytes = 32;
const helloTimeoutMs = 10_000;
const aheadTimeoutMs = 30_000;
const maxAheadBytes = 32 * 1024 * 1024;

interface Waiting {
  readonly resolve: (answer: proto.ObjectAnswer.$Properties) => void;
  readonly reject: (error: PalimpsestError) => void;
}

export interface ObjectLinkOptions {
  readonly peer: Peer;
  readonly clock: Clock;
  readonly holder: string;
  /** The ids of all values that the owner has leased. */
  readonly held: readonly string[];
  /** Returns the ids of the values that calls in progress refer to. */
  readonly pinnedIds: () => readonly string[];
  /** Aborts the opening of the stream. */
  readonly signal: AbortSignal;
  /** Reconstructs a result of one of this program's own tasks, for another program. */
  readonly recover: (objectId: string) => Promise<void>;
  /** Called once, when the stream has ended. */
  readonly onEnd: () => void;
}

export class ObjectLink {
  readonly peer: Peer;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  readonly #pinnedIds: () => readonly string[];
  readonly #recover: (objectId: string) => Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #stream: ClientDuplexStream<proto.ObjectOrders.$Properties, proto.ObjectAnswers.$Properties> | undefined;
  #outbox: proto.ObjectOrder.$Properties[] = [];
  #nextOrderId = 1;
  #flushing = false;
  #full = false;
  #shared = false;
  #storePath = "";
  #ahead: AheadWrites | undefined;

  private constructor({ peer, clock, onEnd, pinnedIds, recover }: ObjectLinkOptions) {
    this.#pinnedIds = pinnedIds;
    this.#recover = recover;
    this.peer = peer;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** @throws {PalimpsestError} UNAVAILABLE */
  static async open(options: ObjectLinkOptions): Promise<ObjectLink> {
    const link = new ObjectLink(options);
    const stream = options.peer.bidi(objectsService.link, { background: true });
    link.#stream = stream;
    stream.on("data", ({ answers }: proto.ObjectAnswers.$Properties) => link.#receive(answers ?? []));
    stream.on("drain", () => {
      link.#full = false;
      link.#flush();
    });
    stream.on("error", (reason) => link.#end(asBreak(fromGrpcError(reason))));
    stream.on("end", () =>
      link.#end(new PalimpsestError("UNAVAILABLE", "the node ended the stream of values")),
    );
    const objectIds = options.held.map(idBytes);
    const unwatch = whenAborted(options.signal, () => link.close());
    try {
      const answer = await link.order({ hello: { holder: options.holder, objectIds } }, helloTimeoutMs);
      link.#shared = await seesFile(answer.proofPath ?? "", answer.proof ?? "");
      link.#storePath = link.#shared ? (answer.storePath ?? "") : "";
      if (link.#storePath !== "") link.#ahead = link.#aheadWrites(answer.aheadBytes ?? 0);
      return link;
    } catch (reason) {
      // The link is ended first, so that a node that answers later does not find this program twice.
      link.#end(PalimpsestError.from(reason));
      throw reason;
    } finally {
      unwatch();
    }
  }

  /** Whether this program can read and write the node's files. */
  get shared(): boolean {
    return this.#shared;
  }

  /** The folder of objects that this program may map; empty if it may not. */
  get storePath(): string {
    return this.#storePath;
  }

  /** Files for values to come; undefined if there are none. */
  get ahead(): AheadWrites | undefined {
    return this.#ahead;
  }

  #aheadWrites(nodeBytes: number): AheadWrites {
    return new AheadWrites({
      maxBytes: Math.min(nodeBytes, maxAheadBytes),
      clock: this.#clock,
      reserve: async (sizeBytes) => {
        const objectId = newValueId();
        const reserve = { objectId: idBytes(objectId), sizeBytes, ahead: true };
        const { info } = await this.order({ reserve }, aheadTimeoutMs);
        return info?.path ? { objectId, path: info.path } : undefined;
      },
      abandon: (objectId) => {
        this.order({ abandon: idBytes(objectId) }, aheadTimeoutMs).catch(() => undefined);
      },
    });
  }

  order(order: proto.ObjectOrder.$Properties, timeoutMs: number): Promise<proto.ObjectAnswer.$Properties> {
    return new Promise((resolve, reject) => {
      if (!this.#stream) {
        reject(new PalimpsestError("UNAVAILABLE", `the stream of values to ${this.peer.address} has ended`));
        return;
      }
      const orderId = this.#nextOrderId++;
      const cancelTimer = this.#clock.after(timeoutMs, () => {
        this.#waiting.delete(orderId);
        const text = `the node at ${this.peer.address} gave no answer within ${Math.round(timeoutMs)} ms`;
        reject(new PalimpsestError("GET_TIMEOUT", text));
      });
      this.#waiting.set(orderId, {
        resolve: (answer) => {
          cancelTimer();
          resolve(answer);
        },
        reject: (error) => {
          cancelTimer();
          reject(error);
        },
      });
      this.#outbox.push({ ...order, orderId });
      if (this.#flushing || this.#full) return;
      this.#flushing = true;
      process.nextTick(() => this.#flush());
    });
  }

  close(): void {
    this.#end(new PalimpsestError("CANCELLED", "the connection to the cluster was closed"));
  }

  #flush(): void {
    this.#flushing = false;
    while (this.#stream && !this.#full && this.#outbox.length > 0) {
      this.#full = !this.#stream.write({ orders: this.#takeBatch() });
    }
  }

  #takeBatch(): proto.ObjectOrder.$Properties[] {
    let bytes = 0;
    let count = 0;
    for (const { store, hold, release, withdraw, exist } of this.#outbox) {
      const ids = (hold ?? release ?? withdraw ?? exist)?.objectIds?.length ?? 0;
      bytes += 64 + (store?.data?.byteLength ?? 0) + ids * orderedIdBytes;
      if (count > 0 && bytes > maxBatchBytes) break;
      count++;
    }
    return this.#outbox.splice(0, count);
  }

  #receive(answers: readonly proto.ObjectAnswer.$Properties[]): void {
    for (const answer of answers) {
      if (answer.tellPins) {
        const objectIds = this.#pinnedIds().map(idBytes);
        this.order({ pinned: { objectIds } }, helloTimeoutMs).catch(() => undefined);
        continue;
      }
      if (answer.unmapUnused) {
        collectBuffers();
        continue;
      }
      if (answer.recover) {
        void this.#recovered(answer.recover);
        continue;
      }
      const orderId = answer.orderId ?? 0;
      const waiting = this.#waiting.get(orderId);
      this.#waiting.delete(orderId);
      if (answer.error) waiting?.reject(errorFromProto(answer.error));
      else waiting?.resolve(answer);
    }
  }

  /**
   * Handles another program's request for a result of this program's tasks. If the answer is lost, the request is
   * repeated.
   */
  async #recovered({ requestId, objectId }: proto.RecoveryRequest.$Properties): Promise<void> {
    const outcome = await this.#recover(Buffer.from(objectId ?? []).toString("hex")).then(
      () => ({}),
      (reason: unknown) => ({ error: errorToProto(reason) }),
    );
    const recovered = { requestId: requestId ?? "", ...outcome };
    await this.order({ recovered }, helloTimeoutMs).catch(() => undefined);
  }

  #end(error: PalimpsestError): void {
    const stream = this.#stream;
    if (!stream) return;
    this.#stream = undefined;
    this.#outbox = [];
    stream.cancel();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#onEnd();
    for (const { reject } of waiting) reject(error);
  }
}

/** Returns the error of a stream that broke. It may be reopened whatever broke it, unless this program is refused. */
function asBreak(error: PalimpsestError): PalimpsestError {
  if (error.code === "UNAUTHENTICATED" || error.code === "PERMISSION_DENIED") return error;
  return new PalimpsestError("UNAVAILABLE", `the stream of values broke: ${error.rawMessage}`, {
    cause: error,
  });
}

export function newValueId(): string {
  return randomBytes(20).toString("hex");
}

export function idBytes(objectId: string): Uint8Array {
  return Buffer.from(objectId, "hex");
}

/** Returns whether the file exists and has the content that the node named. */
export async function seesFile(path: string, text: string): Promise<boolean> {
  if (path === "" || text === "") return false;
  return (await readFile(path, "utf8").catch(() => "")) === text;
}
