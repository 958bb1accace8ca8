import { TemplateFailure } from "./failure.js";

/**
 * The values of a template, as Python has them. Integers are safe numbers or, beyond 2^53, bigints; every other number
 * is a `Float`, so that 1.0 and 1 stay different.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Undefined
  | List
  | Tuple
  | Dict
  | DictView
  | Range
  | Once
  | Namespace
  | Loop
  | Callable;

/** A floating-point number of Python, which prints its point: 1.0. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** What a missing name or attribute gives: empty when printed, an error when used. */
export class Undefined {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export class List {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

export class Tuple {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** A group of `groupby`: a tuple whose parts have names. */
export class Group extends Tuple {
  readonly grouper: Value;
  readonly list: Value;

  constructor(grouper: Value, list: Value) {
    super([grouper, list]);
    this.grouper = grouper;
    this.list = list;
  }
}

/** The name under which a dict finds a key: equal keys of Python, such as 1, 1.0 and True, have one. */
type Hash = string | number | bigint | null | symbol;

/** A dict in the order of insertion. Templates cannot change one, because the sandbox forbids it. */
export class Dict {
  readonly #values = new Map<Hash, Value>();
  /** The keys that are not their own hash. */
  readonly #keys = new Map<Hash, Value>();

  set(key: Value, value: Value): this {
    const hash = hashOf(key);
    if (hash !== key && !this.#values.has(hash)) this.#keys.set(hash, key);
    this.#values.set(hash, value);
    return this;
  }

  get(key: Value): Value | undefined {
    return this.#values.get(typeof key === "string" ? key : hashOf(key));
  }

  has(key: Value): boolean {
    return this.#values.has(hashOf(key));
  }

  get size(): number {
    return this.#values.size;
  }

  *entries(): Generator<readonly [Value, Value]> {
    for (const [hash, value] of this.#values) yield [this.#keyOf(hash), value];
  }

  *keys(): Generator<Value> {
    for (const hash of this.#values.keys()) yield this.#keyOf(hash);
  }

  values(): Iterable<Value> {
    return this.#values.values();
  }

  #keyOf(hash: Hash): Value {
    if (this.#keys.size === 0 && typeof hash !== "symbol") return hash;
    const key = this.#keys.get(hash);
    if (key !== undefined) return key;
    return typeof hash === "symbol" ? null : hash;
  }
}

/** What `keys()`, `values()` and `items()` of a dict give: something with a length, but without indices. */
export class DictView {
  readonly kind: "keys" | "values" | "items";
  readonly dict: Dict;

  constructor(kind: "keys" | "values" | "items", dict: Dict) {
    this.kind = kind;
    this.dict = dict;
  }

  *items(): Generator<Value> {
    if (this.kind === "keys") yield* this.dict.keys();
    else if (this.kind === "values") yield* this.dict.values();
    else for (const entry of this.dict.entries()) yield new Tuple(entry);
  }
}

export class Range {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  at(index: number): number {
    return this.start + index * this.step;
  }

  *items(): Generator<number> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}

/** An iterator of Python, such as `map` gives: it can be read once, has no length and counts as true. */
export class Once {
  readonly name: string;
  readonly iterator: Iterator<Value>;

  constructor(name: string, values: Iterable<Value>) {
    this.name = name;
    this.iterator = values[Symbol.iterator]();
  }

  *items(): Generator<Value> {
    for (let next = this.iterator.next(); next.done !== true; next = this.iterator.next()) yield next.value;
  }
}

/** The only object that a template can change: `{% set ns.name = value %}`. */
export class Namespace {
  readonly fields = new Map<string, Value>();
}

/** The variable `loop` of a for-block. */
export class Loop {
  readonly items: readonly Value[];
  readonly depth: number;
  readonly recurse: ((items: Value, depth: number) => string) | undefined;
  index0 = -1;
  #changed: readonly Value[] | undefined;

  constructor(items: readonly Value[], depth: number, recurse?: (items: Value, depth: number) => string) {
    this.items = items;
    this.depth = depth;
    this.recurse = recurse;
  }

  /** Keeps the values of `loop.changed` and returns those of the call before. */
  remember(values: readonly Value[]): readonly Value[] | undefined {
    const before = this.#changed;
    this.#changed = values;
    return before;
  }
}

export type Keywords = ReadonlyMap<string, Value>;

/** A function, a macro or a method bound to its value. */
export class Callable {
  readonly name: string;
  readonly call: (positional: readonly Value[], keywords: Keywords) => Value;
  /** What a macro tells about itself, such as `arguments`. */
  readonly fields: ReadonlyMap<string, Value>;

  constructor(
    name: string,
    call: (positional: readonly Value[], keywords: Keywords) => Value,
    fields: ReadonlyMap<string, Value> = new Map(),
  ) {
    this.name = name;
    this.call = call;
    this.fields = fields;
  }
}

const safe = (value: number) => Number.isSafeInteger(value);

/** Returns an integer in the form that `Value` has for it. */
export function integer(value: bigint): number | bigint {
  const number = Number(value);
  return safe(number) ? number : value;
}

/** Returns an integer or a bool as an integer, and undefined for everything else. */
export function asInteger(value: Value): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return typeof value === "boolean" ? Number(value) : undefined;
}

/** Returns a number of Python, which a bool is too, as a JavaScript number; undefined for everything else. */
export function asNumber(value: Value): number | undefined {
  if (value instanceof Float) return value.value;
  const whole = asInteger(value);
  return whole === undefined ? undefined : Number(whole);
}

/** Returns the name of a value's type in messages. */
export function typeName(value: Value): string {
  if (value === null) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || typeof value === "bigint") return "int";
  if (typeof value === "string") return "str";
  if (value instanceof Float) return "float";
  if (value instanceof Dict) return "dict";
  if (value instanceof DictView) return `dict_${value.kind}`;
  if (value instanceof Once) return value.name;
  if (value instanceof Callable) return "function";
  return value.constructor.name.toLowerCase();
}

export function isTrue(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return value !== "";
  if (value === null || value instanceof Undefined) return false;
  if (typeof value === "number" || typeof value === "bigint") return value !== 0;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof List || value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof DictView) return value.dict.size > 0;
  if (value instanceof Range) return value.length > 0;
  return true;
}

/** @throws {TemplateFailure} for a value that cannot be a key */
function hashOf(key: Value): Hash {
  if (typeof key === "string" || typeof key === "number" || typeof key === "bigint" || key === null)
    return key;
  if (typeof key === "boolean") return Number(key);
  if (key instanceof Float) {
    const { value } = key;
    return Number.isInteger(value) ? integer(BigInt(value)) : value;
  }
  // All are equal.
  if (key instanceof Undefined) return Symbol.for("undefined");
  if (key instanceof Tuple) return Symbol.for(`tuple ${key.items.map((item) => hashText(item)).join()}`);
  if (key instanceof List || key instanceof Dict)
    throw new TemplateFailure(`unhashable type: '${typeName(key)}'`);
  throw new TemplateFailure(`a ${typeName(key)} cannot be a key here; use a text or a number`);
}

function hashText(item: Value): string {
  const hash = hashOf(item);
  return `${typeof hash} ${JSON.stringify(String(hash))}`;
}

/** Returns the values that a loop over this one visits. @throws {TemplateFailure} if it cannot be looped over */
export function iterate(value: Value): Iterable<Value> {
  if (value instanceof List || value instanceof Tuple) return value.items;
  if (typeof value === "string") return value;
  if (value instanceof Dict) return value.keys();
  if (value instanceof DictView || value instanceof Range || value instanceof Once) return value.items();
  if (value instanceof Undefined) return [];
  if (value instanceof Loop) return rest(value);
  throw new TemplateFailure(`'${typeName(value)}' object is not iterable`);
}

function* rest(loop: Loop): Generator<Value> {
  while (loop.index0 + 1 < loop.items.length) {
    loop.index0 += 1;
    yield new Tuple([loop.items[loop.index0] ?? null, loop]);
  }
}

/** Returns the length of a value in Python, or undefined if it has none. */
export function lengthOf(value: Value): number | undefined {
  if (typeof value === "string") return codePointLength(value);
  if (value instanceof List || value instanceof Tuple || value instanceof Loop) return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof DictView) return value.dict.size;
  if (value instanceof Range) return value.length;
  return value instanceof Undefined ? 0 : undefined;
}

const halves = /[\ud800-\udfff]/;

/** Returns whether every character of a text is one UTF-16 unit, so that indices need no conversion. */
export const isPlain = (text: string): boolean => !halves.test(text);

export function codePointLength(text: string): number {
  if (isPlain(text)) return text.length;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
