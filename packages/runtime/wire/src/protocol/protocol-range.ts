/**
 * Responsibility: the numbered protocols that a process speaks, and whether two processes have one in common.
 * Not responsible for: versions of the software, which are only shown, or of rows in the store (row-versions.ts).
 *
 * Invariants:
 * - PROTOCOL-1. Processes whose ranges have a number in common work together, whichever of them is newer. A process
 *   that has none in common with another one refuses its streams before it reads a message, and says both ranges.
 * - PROTOCOL-2. What is newer than a process changes nothing of it: fields and orders that it does not know are
 *   ignored, and methods that it does not know are refused.
 */
import { PalimpsestError } from "../base/error.js";
import { allMethods } from "./services.js";

/** From the first to the last. */
export interface ProtocolRange {
  readonly min: number;
  readonly max: number;
}

/**
 * What this build speaks. `max` grows with every method or order that older processes lack, `min` when something is
 * removed that processes of a lower number need. A process that names no range speaks protocol 1.
 */
const built: ProtocolRange = { min: 1, max: 3 };
const unnamed: ProtocolRange = { min: 1, max: 1 };

/** Lets tests make another build of this one: it speaks these protocols and serves no method of a later one. */
const testVariable = "PALIMPSEST_TEST_PROTOCOLS";
let own: ProtocolRange | undefined;

/** Returns the protocols that this process speaks. */
export function ownProtocols(): ProtocolRange {
  own ??= process.env[testVariable] === undefined ? built : protocolsOf(process.env[testVariable]);
  return own;
}

/** The metadata of every call that says what its caller speaks. */
export const protocolsKey = "palimpsest-protocols";

/** Formats a range as metadata, such as "1-2". */
export function protocolsHeader({ min, max }: ProtocolRange): string {
  return `${min}-${max}`;
}

/** Reads a range from metadata; what is none is that of a process that names none. */
export function protocolsOf(header: unknown): ProtocolRange {
  const [, min, max] = /^(\d{1,6})-(\d{1,6})$/.exec(String(header)) ?? [];
  return min === undefined ? unnamed : { min: Number(min), max: Number(max) };
}

/** Reads the range that a message carries. */
export function protocolsFrom(
  message: { readonly min?: number | null; readonly max?: number | null } | null | undefined,
): ProtocolRange {
  return message?.max ? { min: message.min ?? 0, max: message.max } : unnamed;
}

/** Formats a range for people, such as "protocol 1" or "protocols 1 to 2". */
export function protocolsText({ min, max }: ProtocolRange): string {
  return min === max ? `protocol ${min}` : `protocols ${min} to ${max}`;
}

/** A process and what it speaks. */
export interface Speaker {
  /** Names it in errors, such as "node node-4f1a". */
  readonly what: string;
  readonly protocols: ProtocolRange;
}

/** Returns whether two processes have a protocol in common. */
export function sharesProtocol(left: ProtocolRange, right: ProtocolRange): boolean {
  return left.min <= right.max && right.min <= left.max;
}

/** PROTOCOL-1 @throws {PalimpsestError} PROTOCOL_MISMATCH if they have no protocol in common */
export function meetProtocols(left: Speaker, right: Speaker): void {
  if (sharesProtocol(left.protocols, right.protocols)) return;
  const [older, newer] = left.protocols.max < right.protocols.min ? [left, right] : [right, left];
  const missing = methodsBetween(older.protocols.max, newer.protocols.min);
  const [first, ...others] = missing;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  const lacks = first === undefined ? "" : `; ${older.what} lacks ${first}${more}`;
  throw new PalimpsestError(
    "PROTOCOL_MISMATCH",
    `${left.what} speaks ${protocolsText(left.protocols)}, ${right.what} ${protocolsText(right.protocols)}, and they have none in ` +
      `common${lacks}: upgrade ${older.what}; \`palimpsest upgrade plan\` shows what is to be upgraded first`,
    { details: { minProtocol: right.protocols.min, maxProtocol: right.protocols.max } },
  );
}

/** Returns the names of methods that came after one protocol and that another one has. */
function methodsBetween(after: number, until: number): readonly string[] {
  return allMethods.filter(({ since }) => since > after && since <= until).map(({ name }) => name);
}

/** Tells that a process does not know a method. */
export function missingMethod(
  { name, since }: { readonly name: string; readonly since: number },
  { what, protocols }: Speaker,
): PalimpsestError {
  return new PalimpsestError(
    "PROTOCOL_MISMATCH",
    `${name} needs protocol ${since}, and ${what} speaks ${protocolsText(protocols)}: upgrade it; ` +
      "`palimpsest upgrade plan` shows what is to be upgraded first",
    { details: { method: name, protocol: since, maxProtocol: protocols.max } },
  );
}
