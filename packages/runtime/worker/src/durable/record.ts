/** Encodes and decodes the fields of a durable actor's record. The head stores them without interpreting them. */
import { decodeValue, encodeValue, PalimpsestError } from "@palimpsest/wire";

export interface Field {
  readonly name: string;
  readonly value: Uint8Array;
}

export interface Timer {
  readonly method: string;
  /** When it is due, on the wall clock, which continues while the machine is off. */
  readonly dueAtMs: number;
  /** Milliseconds between two firings; 0 if it fires once. */
  readonly everyMs: number;
  readonly args: Uint8Array;
}

/** What is known about one caller: the call up to which it has all outcomes, and when it was last heard from. */
export interface CallerMark {
  readonly acknowledged: number;
  readonly heardAtMs: number;
}

export const stateField = "state";
export const timerField = (name: string) => `t:${name}`;
export const callerField = (caller: string) => `c:${caller}`;
export const replyField = (caller: string, sequence: number) => `r:${caller}:${sequence}`;

export const encodeTimer = (timer: Timer) => encodeValue({ ...timer });
export const encodeMark = (mark: CallerMark) => encodeValue({ ...mark });

export interface Loaded {
  state: Uint8Array | undefined;
  readonly timers: Map<string, Timer>;
  readonly marks: Map<string, CallerMark>;
  /** Replies by caller and number. */
  readonly replies: Map<string, Map<number, Uint8Array>>;
}

/** @throws {PalimpsestError} CODEC for a record of another version */
export function readRecord(fields: readonly Field[]): Loaded {
  const loaded: Loaded = { state: undefined, timers: new Map(), marks: new Map(), replies: new Map() };
  for (const { name, value } of fields) {
    const [kind = "", ...rest] = name.split(":");
    const key = rest.join(":");
    if (name === stateField) loaded.state = value;
    else if (kind === "t") loaded.timers.set(key, timerOf(value, name));
    else if (kind === "c") loaded.marks.set(key, markOf(value, name));
    else if (kind === "r") {
      const at = key.lastIndexOf(":");
      const caller = key.slice(0, at);
      const replies = loaded.replies.get(caller) ?? new Map<number, Uint8Array>();
      replies.set(Number(key.slice(at + 1)), value);
      loaded.replies.set(caller, replies);
    }
  }
  return loaded;
}

/** Checks fields by hand instead of with zod, because the load time of an actor's process matters. */
function fieldsOf(bytes: Uint8Array, name: string): Readonly<Record<string, unknown>> {
  const value = decodeValue(bytes);
  if (typeof value === "object" && value !== null) return { ...value };
  throw otherVersion(name);
}

function timerOf(bytes: Uint8Array, name: string): Timer {
  const { method, dueAtMs, everyMs, args } = fieldsOf(bytes, name);
  const isTimer = typeof method === "string" && typeof dueAtMs === "number" && typeof everyMs === "number";
  if (isTimer && args instanceof Uint8Array) return { method, dueAtMs, everyMs, args };
  throw otherVersion(name);
}

function markOf(bytes: Uint8Array, name: string): CallerMark {
  const { acknowledged, heardAtMs } = fieldsOf(bytes, name);
  if (typeof acknowledged === "number" && typeof heardAtMs === "number") return { acknowledged, heardAtMs };
  throw otherVersion(name);
}

function otherVersion(name: string): PalimpsestError {
  return new PalimpsestError("CODEC", `field ${name} of the durable record is of another version`);
}
