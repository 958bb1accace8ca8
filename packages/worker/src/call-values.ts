/**
 * Responsibility: the values of one call inside the actor's process: its arguments, its result and items, and what they
 *   refer to.
 * Not responsible for: when the method runs (invocation.ts).
 *
 * Invariants:
 * - CALLVALUES-1. What came with the arguments is held for this process before the call is answered: until then its caller
 *   holds it. What the answer refers to is held here until the caller says that it has it.
 */
import { maxCallBytes, outgoingValue, type ValueStore } from "@palimpsest/client";
import { decodeValue, encodeValue, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

export interface CallValuesDeps {
  /** What reads and stores values that are not in messages, and references. Default: there are none. */
  readonly values?: ValueStore | undefined;
  /** Keeps what the reply refers to until the caller has taken it. */
  readonly keep?: (callId: number, release: () => void) => void;
  readonly reply: (reply: proto.Reply.$Properties) => void;
}

interface Releasable {
  release(): void;
}

/** One value of a generator. */
export interface Item {
  readonly reply: Pick<proto.Reply.$Properties, "item" | "itemObject">;
  /** What it takes of the caller's credit. */
  readonly sizeBytes: number;
}

type Result = Pick<proto.Reply.$Properties, "value" | "valueObject">;

const noBytes = new Uint8Array();

export class CallValues {
  readonly #deps: CallValuesDeps;
  readonly #call: proto.Call.$Properties;
  /** What replies refer to. */
  #kept: Releasable[] | undefined;
  /** Items that the caller has not taken, in their order; undefined: it traveled in its message. */
  #untaken: (Releasable | undefined)[] | undefined;
  #ended = false;

  constructor(call: proto.Call.$Properties, deps: CallValuesDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** A promise where they are an object, which the caller holds until the answer. @throws {PalimpsestError} */
  arguments(): unknown {
    const { args, argsObject } = this.#call;
    const { values } = this.#deps;
    if (!argsObject) return decodeValue(args ?? noBytes, values);
    if (!values)
      throw new PalimpsestError("CODEC", "the arguments are an object, and objects cannot be read here");
    const objectId = Buffer.from(argsObject.objectId ?? []).toString("hex");
    return values.read({ objectId, sizeBytes: argsObject.sizeBytes ?? 0 });
  }

  /** A promise where something has to be stored or held first (CALLVALUES-1). @throws {PalimpsestError} */
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
   * Large ones as objects. A promise where something has to be stored or held first: until then the generator is not asked for
   * more, and its value does not change.
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
          // What it refers to is kept until the call is over.
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

  /** The caller has taken so many of the items: those that are objects are not needed any more. */
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

  /** Posts the last reply; undefined: nobody reads one. */
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
      `${this.#call.method} gave ${bytes.byteLength} bytes at once, more than ${maxCallBytes}; put them in the object store and give the reference`,
    );
  }
}

function inline(item: Uint8Array): Item {
  return { reply: { item }, sizeBytes: item.byteLength };
}
