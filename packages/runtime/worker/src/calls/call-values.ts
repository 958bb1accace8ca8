/**
 * Responsibility: the values of one call inside the actor's process: its arguments, its result and items, and their
 * references.
 * Not responsible for: when the method runs (invocation.ts).
 *
 * Invariants:
 * - CALLVALUES-1. References in the arguments are leased for this process before the call is answered; until then the
 *   caller holds the leases. References in the answer are leased here until the caller confirms that it has leases of
 *   its own.
 */
import { maxCallBytes, outgoingValue, type ValueStore } from "@palimpsest/client";
import { decodeValue, encodeValue, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

export interface CallValuesDeps {
  /** Reads and stores references and the values that are sent outside of messages. If it is absent, there are none. */
  readonly values?: ValueStore | undefined;
  /** Keeps the references of a reply until the caller has taken it. */
  readonly keep?: (callId: number, release: () => void) => void;
  readonly reply: (reply: proto.Reply.$Properties) => void;
}

interface Releasable {
  release(): void;
}

/** One value of a generator. */
export interface Item {
  readonly reply: Pick<proto.Reply.$Properties, "item" | "itemObject">;
  /** The bytes of the caller's credit that it uses. */
  readonly sizeBytes: number;
}

type Result = Pick<proto.Reply.$Properties, "value" | "valueObject">;

const noBytes = new Uint8Array();

export class CallValues {
  readonly #deps: CallValuesDeps;
  readonly #call: proto.Call.$Properties;
  /** The references that replies carry. */
  #kept: Releasable[] | undefined;
  /** Items that the caller has not taken, in order; undefined for one that was sent in its message. */
  #untaken: (Releasable | undefined)[] | undefined;
  #ended = false;

  constructor(call: proto.Call.$Properties, deps: CallValuesDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /**
   * Returns the arguments, or a promise of them if they are an object, which the caller keeps until the answer.
   * @throws {PalimpsestError}
   */
  arguments(): unknown {
    const { args, argsObject } = this.#call;
    const { values } = this.#deps;
    if (!argsObject) return decodeValue(args ?? noBytes, values);
    if (!values)
      throw new PalimpsestError(
        "CODEC",
        "the arguments are in the object store, which this process cannot read",
      );
    const objectId = Buffer.from(argsObject.objectId ?? []).toString("hex");
    return values.read({ objectId, sizeBytes: argsObject.sizeBytes ?? 0 });
  }

  /**
   * Returns the result for the reply, or a promise of it if something has to be stored or leased first (CALLVALUES-1).
   * @throws {PalimpsestError}
   */
  result(value: unknown): Result | Promise<Result> {
    const { values } = this.#deps;
    if (!values) return { value: this.#encode(value) };
    const { resultObjectId } = this.#call;
    const resultId = resultObjectId?.byteLength ? Buffer.from(resultObjectId).toString("hex") : "";
    const outgoing = outgoingValue(value, values, false, resultId);
    if (!outgoing.keeps && !values.holds.isHolding) return { value: outgoing.bytes };
    this.#kept ??= [];
    this.#kept.push(outgoing);
    return (async () => {
      const { bytes, object } = (await outgoing.preparing) ?? { bytes: outgoing.bytes, object: undefined };
      await values.holds.settled();
      if (!object) return { value: bytes };
      return { valueObject: { ...object, objectId: Buffer.from(object.objectId, "hex") } };
    })();
  }

  /**
   * Returns an item for its reply; a large one is sent as an object. It is a promise if something has to be stored or
   * leased first. Until then the generator is not resumed, so that its value does not change.
   */
  item(value: unknown): Item | Promise<Item> {
    const { values } = this.#deps;
    if (!values) return inline(this.#encode(value));
    const outgoing = outgoingValue(value, values, false);
    if (!outgoing.keeps) return this.#sent(inline(outgoing.bytes), undefined);
    return (async () => {
      try {
        const { bytes, object } = (await outgoing.preparing) ?? { bytes: outgoing.bytes, object: undefined };
        await values.holds.settled();
        if (object === undefined) {
          // The item's references are kept until the call has ended.
          this.#keep(outgoing);
          return this.#sent(inline(bytes), undefined);
        }
        const itemObject = { ...object, objectId: Buffer.from(object.objectId, "hex") };
        return this.#sent({ reply: { itemObject }, sizeBytes: object.sizeBytes }, outgoing);
      } catch (reason) {
        outgoing.release();
        throw reason;
      }
    })();
  }

  /** Records that the caller has taken this many items, so that those stored as objects are released. */
  taken(items: number): void {
    for (const one of this.#untaken?.splice(0, items) ?? []) one?.release();
  }

  #sent(item: Item, object: Releasable | undefined): Item {
    if (this.#ended) object?.release();
    else {
      this.#untaken ??= [];
      this.#untaken.push(object);
    }
    return item;
  }

  #keep(one: Releasable): void {
    if (this.#ended) {
      one.release();
      return;
    }
    this.#kept ??= [];
    this.#kept.push(one);
  }

  /** Posts the last reply; undefined if there is no reader. */
  end(reply: proto.Reply.$Properties | undefined): void {
    const { keep } = this.#deps;
    this.#ended = true;
    if (this.#kept === undefined && this.#untaken === undefined) {
      if (reply) this.#deps.reply(reply);
      return;
    }
    const items = (this.#untaken ?? []).filter((one) => one !== undefined);
    const kept = [...(this.#kept ?? []), ...items];
    this.#kept = undefined;
    this.#untaken = undefined;
    const release = () => {
      for (const one of kept) one.release();
    };
    if (reply && kept.length > 0 && keep) {
      keep(reply.callId ?? 0, release);
      this.#deps.reply({ ...reply, taking: true });
    } else {
      release();
      if (reply) this.#deps.reply(reply);
    }
  }

  #encode(value: unknown): Uint8Array {
    const bytes = encodeValue(value);
    if (bytes.byteLength <= maxCallBytes) return bytes;
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `${this.#call.method} returned ${bytes.byteLength} bytes at once, more than ${maxCallBytes}; put them in the object store and give the reference`,
    );
  }
}

function inline(item: Uint8Array): Item {
  return { reply: { item }, sizeBytes: item.byteLength };
}
