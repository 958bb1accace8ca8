/**
 * What can be told of a thrown value. Programs throw anything: objects without a prototype, errors whose getters throw,
 * proxies. Reading one here never throws and runs for a bounded time.
 */
import { inspect, types } from "node:util";

/** What is read of an error. Each part may be anything, because programs replace them. */
export interface ThrownParts {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Undefined if there is none. */
  readonly cause: unknown;
  /** The errors of an AggregateError. */
  readonly errors: readonly unknown[] | undefined;
  /** Its own fields that are plain data, such as `code` and `status`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the parts of a thrown value. One that is no error is shown as its message. */
export function partsOfThrown(reason: unknown): ThrownParts {
  if (!isError(reason)) {
    const fields = typeof reason === "object" && reason !== null ? plainFields(reason) : {};
    return { name: "Error", message: shown(reason), stack: "", cause: undefined, errors: undefined, fields };
  }
  const message = textOf(read(reason, "message"));
  const name = textOf(read(reason, "name")) || "Error";
  const stack = read(reason, "stack");
  const errors = read(reason, "errors");
  return {
    name,
    message,
    stack: typeof stack === "string" ? stack : "",
    cause: read(reason, "cause"),
    errors: Array.isArray(errors) ? errors : undefined,
    fields: plainFields(reason),
  };
}

/** Returns the message of a thrown value. */
export function thrownMessage(reason: unknown): string {
  return isError(reason) ? textOf(read(reason, "message")) : shown(reason);
}

/** Returns the stack of a thrown value for a log, or its name and message if it has none. */
export function thrownText(reason: unknown): string {
  const { name, message, stack } = partsOfThrown(reason);
  return stack || `${name}: ${message}`;
}

function isError(reason: unknown): reason is object {
  try {
    return types.isNativeError(reason) || reason instanceof Error;
  } catch {
    // A proxy may refuse to name its prototype.
    return false;
  }
}

function read(from: object, key: string): unknown {
  try {
    return Reflect.get(from, key);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : shown(value);
}

/** The fields of a value that are shown where it has too many. */
const maxListed = 100;
const inspectLimits = { depth: 4, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 120 } as const;

let lately: WeakMap<object, string> | undefined;

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  // Unlike inspect(), this shows a number, a symbol or null as a template would.
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return String(value);
  const known = lately?.get(value);
  if (known !== undefined) return known;
  const text = inspected(value);
  // One thrown value is told several times in a row: to the caller, in the log and in the list of tasks. Its own method
  // of inspection may be slow. A value that is changed and thrown again later is shown as it is then.
  if (lately === undefined) {
    lately = new WeakMap();
    setImmediate(() => {
      lately = undefined;
    });
  }
  lately.set(value, text);
  return text;
}

function inspected(value: object): string {
  for (const customInspect of [true, false]) {
    try {
      const keys = ArrayBuffer.isView(value) ? [] : Object.keys(value);
      const isWide = keys.length > maxParts && !Array.isArray(value);
      const first = isWide ? Object.fromEntries(dataEntries(value).slice(0, maxListed)) : value;
      const text = inspect(first, {
        ...inspectLimits,
        depth: isWide || isLarge(value) ? 0 : inspectLimits.depth,
        customInspect,
      });
      return isWide ? `${text} and ${keys.length - maxListed} more fields` : text;
    } catch {
      // Its own method of inspection, or a getter, throws.
    }
  }
  return "a value that cannot be shown";
}

const partsOfErrors: ReadonlySet<string> = new Set(["name", "message", "stack", "cause", "errors"]);
/** Fields that classes of errors also define as getters. */
const gotten = ["code", "status"] as const;

function plainFields(value: object): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const room: Room = { parts: maxParts, units: maxUnits };
  try {
    const entries = dataEntries(value).slice(0, maxParts);
    for (const name of gotten)
      if (name in value && !entries.some(([key]) => key === name)) entries.push([name, read(value, name)]);
    for (const [key, field] of entries) {
      if (partsOfErrors.has(key)) continue;
      const copy = plainCopy(field, room, 0);
      if (copy !== notPlain) define(fields, key, copy);
    }
  } catch {
    // A proxy refuses to list its fields.
  }
  return fields;
}

/** What the fields of an error may have together. */
interface Room {
  parts: number;
  units: number;
}

const maxParts = 1_000;
const maxUnits = 16 * 1024;
const maxDepth = 8;
const notPlain = Symbol("not plain data");

/** Returns a copy of plain data, without running any getter; `notPlain` for anything else, and for what has no room. */
function plainCopy(value: unknown, room: Room, depth: number): unknown {
  room.parts -= 1;
  if (room.parts < 0 || depth > maxDepth) return notPlain;
  if (typeof value === "string") {
    room.units -= value.length;
    return room.units < 0 ? notPlain : value;
  }
  if (typeof value === "symbol" || typeof value === "function") return notPlain;
  if (typeof value !== "object" || value === null) return value;
  if (types.isProxy(value)) return notPlain;
  if (types.isDate(value)) return new Date(value);
  const isList = Array.isArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isList && prototype !== Object.prototype && prototype !== null) return notPlain;
  if (isList && value.length > maxParts) return notPlain;
  const copy: Record<string, unknown> | unknown[] = isList ? new Array(value.length).fill(undefined) : {};
  for (const [key, part] of dataEntries(value)) {
    const copied = plainCopy(part, room, depth + 1);
    if (copied === notPlain) return notPlain;
    define(copy, key, copied);
  }
  return copy;
}

/**
 * Whether a value has too many parts to be shown in depth: inspect() bounds the items of lists, and no fields of objects, so that
 * four levels of forty fields are millions.
 */
function isLarge(root: unknown): boolean {
  let parts = 0;
  const open = [{ value: root, depth: 0 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (++parts > maxParts) return true;
    const { value, depth } = place;
    if (typeof value !== "object" || value === null || depth > inspectLimits.depth) continue;
    if (types.isProxy(value) || ArrayBuffer.isView(value)) continue;
    const items =
      types.isMap(value) || types.isSet(value)
        ? firstItems(value)
        : dataEntries(value).map(([, part]) => part);
    const most = Array.isArray(value) ? inspectLimits.maxArrayLength : maxParts;
    for (const item of items.slice(0, most)) open.push({ value: item, depth: depth + 1 });
  }
  return false;
}

function firstItems(value: Iterable<unknown>): unknown[] {
  const items: unknown[] = [];
  for (const item of value) {
    if (items.length === inspectLimits.maxArrayLength) break;
    items.push(item);
  }
  return items;
}

/** Returns the own fields that have a value rather than a getter, and of more than `maxParts` not all. */
function dataEntries(value: object): [string, unknown][] {
  const keys = ArrayBuffer.isView(value) ? [] : Object.keys(value).slice(0, maxParts + 1);
  return keys.flatMap((key): [string, unknown][] => {
    const field = Object.getOwnPropertyDescriptor(value, key);
    return field && "value" in field ? [[key, field.value]] : [];
  });
}

/** Sets a field of the object itself, whatever its name. */
export function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
