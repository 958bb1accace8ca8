import { ModelError } from "../base/error.js";
import type { SentencePiece, SentencePieces } from "../tokens/sentence-pieces.js";
import { pieceType } from "../tokens/sentence-pieces.js";

/** What a tokenizer.model says besides its pieces. */
export interface SentencePieceFile extends Omit<SentencePieces, "space" | "beginTokenId"> {
  /** Whether texts begin with a space that is no part of them. */
  readonly addsSpace: boolean;
  /** Ids of tokens by their fields in tokenizer_config.json, such as bos_token; without those that the model lacks. */
  readonly named: Readonly<Record<string, number>>;
}

const trainer = { modelType: 3, spaceIsSuffix: 24, byteFallback: 35, unk: 40, bos: 41, eos: 42, pad: 43 };
const normalizer = { name: 1, characterMap: 2, addsSpace: 3, removesSpaces: 4, escapesSpaces: 5 };
const BPE = 2;

/**
 * Reads a tokenizer.model, the protocol buffer `ModelProto` of sentencepiece.
 * @param path for error messages
 * @throws {ModelError} FILE_DAMAGED; TOKENIZER_INVALID, naming what is not supported
 */
export function readSentencePieces(bytes: Buffer, path: string): SentencePieceFile {
  const damaged = () =>
    new ModelError("FILE_DAMAGED", `${path} is no model of sentencepiece; fetch it again`);
  const refuse = (field: string, value: unknown, fix: string) =>
    new ModelError("TOKENIZER_INVALID", `${path}: ${field} is ${String(value)}; ${fix}`);
  const pieces: SentencePiece[] = [];
  const [ofTrainer, ofNormalizer] = [new Map<number, Value>(), new Map<number, Value>()];
  for (const [field, value] of fieldsOf(bytes, damaged)) {
    if (!Buffer.isBuffer(value)) continue;
    if (field === 1) pieces.push(pieceOf(value, damaged));
    else if (field === 2 || field === 3) {
      const into = field === 2 ? ofTrainer : ofNormalizer;
      for (const [name, inner] of fieldsOf(value, damaged)) into.set(name, inner);
    }
  }
  if (pieces.length === 0) throw damaged();
  const kind = Number(ofTrainer.get(trainer.modelType) ?? 1);
  if (kind !== BPE)
    throw refuse("model_type", kind === 1 ? "unigram" : kind, "only bpe is supported; give a tokenizer.json");
  const map = ofNormalizer.get(normalizer.characterMap);
  if (Buffer.isBuffer(map) && map.length > 0)
    throw refuse(
      "normalizer",
      JSON.stringify(String(ofNormalizer.get(normalizer.name) ?? "")),
      "only identity is supported; give a tokenizer.json",
    );
  const isOn = (spec: ReadonlyMap<number, Value>, field: number, byDefault: boolean) =>
    Number(spec.get(field) ?? byDefault) !== 0;
  if (isOn(ofNormalizer, normalizer.removesSpaces, true))
    throw refuse("remove_extra_whitespaces", true, "only false is supported; give a tokenizer.json");
  if (!isOn(ofNormalizer, normalizer.escapesSpaces, true) || isOn(ofTrainer, trainer.spaceIsSuffix, false))
    throw refuse("the place of spaces", "unusual", "give a tokenizer.json");
  const ids = {
    unk_token: [trainer.unk, 0],
    bos_token: [trainer.bos, 1],
    eos_token: [trainer.eos, 2],
  } as const;
  const named = Object.entries({ ...ids, pad_token: [trainer.pad, -1] as const }).map(
    ([name, [field, byDefault]]) => [name, Number(ofTrainer.get(field) ?? byDefault)] as const,
  );
  return {
    pieces,
    hasBytes: isOn(ofTrainer, trainer.byteFallback, false),
    addsSpace: isOn(ofNormalizer, normalizer.addsSpace, true),
    named: Object.fromEntries(named.filter(([, id]) => pieces[id] !== undefined)),
  };
}

function pieceOf(bytes: Buffer, damaged: () => ModelError): SentencePiece {
  const fields = new Map(fieldsOf(bytes, damaged));
  const text = fields.get(1);
  if (!Buffer.isBuffer(text)) throw damaged();
  const score = fields.get(2);
  return {
    text: text.toString(),
    score: Buffer.isBuffer(score) ? score.readFloatLE(0) : 0,
    type: Number(fields.get(3) ?? pieceType.normal),
  };
}

/** A number, which is a varint, or the bytes of anything else. */
type Value = number | Buffer;

/** Yields the fields of a message of protocol buffers, in order. */
function* fieldsOf(bytes: Buffer, damaged: () => ModelError): Generator<readonly [number, Value]> {
  let at = 0;
  const take = (count: number) => {
    if (at + count > bytes.length) throw damaged();
    at += count;
    return bytes.subarray(at - count, at);
  };
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = take(1)[0] as number;
      value |= BigInt(byte & 0x7f) << shift;
      // Negative numbers are written as 64 bits.
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw damaged();
  };
  while (at < bytes.length) {
    const tag = varint();
    const [field, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) yield [field, varint()];
    else if (wire === 1) yield [field, take(8)];
    else if (wire === 2) {
      const length = varint();
      if (length < 0) throw damaged();
      yield [field, take(length)];
    } else if (wire === 5) yield [field, take(4)];
    else throw damaged();
  }
}
