import { Float } from "../jinja/values.js";
import type { BpeTokenizer } from "../tokens/bpe-tokenizer.js";

export interface SpecialTokenGuard<T> {
  /** The values with a placeholder for every special token that their texts spell out. */
  readonly values: T;
  /** Encodes what a template made from those values: its own special tokens as ids, the placeholders as text. */
  encode(rendered: string): number[];
}

/** The placeholders come from a private-use plane of Unicode, whose characters texts rarely use and templates keep. */
const firstStandIn = 0xf0000;
const lastStandIn = 0xffffd;

/**
 * Distinguishes special tokens inside content from those that a template writes, although the template works on text.
 * Returns undefined if no text spells one out, which is nearly always the case.
 */
export function guardSpecialTokens<T>(tokenizer: BpeTokenizer, values: T): SpecialTokenGuard<T> | undefined {
  const specials = [...tokenizer.specialTokens.keys()];
  const texts: string[] = [];
  collectTexts(values, texts);
  if (!texts.some((text) => specials.some((special) => text.includes(special)))) return undefined;

  const standIns = freeCharacters(texts, specials.length);
  const standInOf = new Map(specials.map((special, i) => [special, standIns[i] as string]));
  const specialOf = new Map(specials.map((special, i) => [standIns[i] as string, special]));
  const anySpecial = anyOf(specials);
  const anyStandIn = anyOf(standIns);
  const restore = (text: string) => text.replace(anyStandIn, (found) => specialOf.get(found) as string);
  return {
    values: mapTexts(values, (text) => text.replace(anySpecial, (found) => standInOf.get(found) as string)),
    encode: (rendered) =>
      rendered.split(new RegExp(`(${anySpecial.source})`, "u")).flatMap((piece) => {
        const id = tokenizer.specialTokens.get(piece);
        return id === undefined ? tokenizer.encode(restore(piece), { specialTokens: "text" }) : [id];
      }),
  };
}

function collectTexts(value: unknown, into: string[]): void {
  if (typeof value === "string") into.push(value);
  else if (value instanceof Map) {
    for (const [key, item] of value) {
      collectTexts(key, into);
      collectTexts(item, into);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      into.push(key);
      collectTexts(item, into);
    }
  }
}

function mapTexts<T>(value: T, change: (text: string) => string): T;
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (value instanceof Map) {
    return new Map([...value].map(([key, item]) => [mapTexts(key, change), mapTexts(item, change)]));
  }
  if (typeof value !== "object" || value === null || value instanceof Float) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]),
  );
}

/** Returns characters of the plane that none of the texts uses. */
function freeCharacters(texts: readonly string[], count: number): string[] {
  const used = new Set(texts.flatMap((text) => text.match(/[\u{f0000}-\u{ffffd}]/gu) ?? []));
  const free: string[] = [];
  for (let code = firstStandIn; code <= lastStandIn && free.length < count; code++) {
    const character = String.fromCodePoint(code);
    if (!used.has(character)) free.push(character);
  }
  return free;
}

const anyOf = (texts: readonly string[]) =>
  new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"), "gu");
