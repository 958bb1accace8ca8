import { TemplateFailure } from "./failure.js";
import type { Run } from "./run.js";
import {
  asInteger,
  asNumber,
  Dict,
  DictView,
  Float,
  iterate,
  List,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.js";

/** Python's `==`: by value, and 1, 1.0 and True are equal. */
export function equal(left: Value, right: Value, run: Run): boolean {
  if (left === right) return true;
  if (typeof left === "string" || typeof right === "string") return false;
  if (left instanceof Undefined) return right instanceof Undefined;
  const sizes = orderOfNumbers(left, right);
  if (sizes !== undefined) return sizes === 0;
  if (left instanceof List && right instanceof List) return equalAll(left.items, right.items, run);
  if (left instanceof Tuple && right instanceof Tuple) return equalAll(left.items, right.items, run);
  if (left instanceof Range && right instanceof Range) {
    if (left.length !== right.length) return false;
    return (
      left.length === 0 || (left.start === right.start && (left.length === 1 || left.step === right.step))
    );
  }
  if (left instanceof Dict && right instanceof Dict) return equalDicts(left, right, run);
  if (left instanceof DictView && right instanceof DictView) return equalViews(left, right, run);
  return false;
}

function equalAll(left: readonly Value[], right: readonly Value[], run: Run): boolean {
  if (left.length !== right.length) return false;
  return run.deeper(() =>
    left.every((item, i) => {
      run.step();
      return equal(item, right[i] ?? null, run);
    }),
  );
}

function equalDicts(left: Dict, right: Dict, run: Run): boolean {
  if (left.size !== right.size) return false;
  return run.deeper(() => {
    for (const [key, value] of left.entries()) {
      run.step();
      const other = right.get(key);
      if (other === undefined || !equal(value, other, run)) return false;
    }
    return true;
  });
}

function equalViews(left: DictView, right: DictView, run: Run): boolean {
  if (left.kind === "values" || left.kind !== right.kind || left.dict.size !== right.dict.size) return false;
  return left.kind === "items"
    ? equalDicts(left.dict, right.dict, run)
    : [...left.dict.keys()].every((key) => right.dict.has(key));
}

/** Returns a negative number, zero or a positive one as the first number is less, equal or more; undefined for others. */
function orderOfNumbers(left: Value, right: Value): number | undefined {
  const a = asInteger(left);
  const b = asInteger(right);
  // An integer beyond 2^53 is compared exactly, also with a float: bigints and numbers compare by value.
  const x = a ?? asNumber(left);
  const y = b ?? asNumber(right);
  if (x === undefined || y === undefined) return undefined;
  return x < y ? -1 : x > y ? 1 : x >= y ? 0 : Number.NaN;
}

/** Returns the order of two texts by code points, which is not that of UTF-16 beyond U+FFFF. */
function orderOfTexts(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a === b) continue;
    const surrogates = Number(a >= 0xd800 && a < 0xe000) - Number(b >= 0xd800 && b < 0xe000);
    return surrogates !== 0 ? surrogates : a - b;
  }
  return left.length - right.length;
}

/**
 * Returns the order of two values as `<` and `sort` need it.
 * @throws {TemplateFailure} if Python does not order them
 */
export function order(left: Value, right: Value, operator: string, run: Run): number {
  run.step();
  if (typeof left === "string" && typeof right === "string") return orderOfTexts(left, right);
  const numbers = orderOfNumbers(left, right);
  if (numbers !== undefined) return numbers;
  if ((left instanceof List && right instanceof List) || (left instanceof Tuple && right instanceof Tuple)) {
    return orderOfItems(left.items, right.items, operator, run);
  }
  for (const value of [left, right]) if (value instanceof Undefined) throw new TemplateFailure(value.reason);
  throw new TemplateFailure(
    `'${operator}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
  );
}

function orderOfItems(left: readonly Value[], right: readonly Value[], operator: string, run: Run): number {
  return run.deeper(() => {
    for (const [i, item] of left.entries()) {
      const other = right[i];
      if (other === undefined) return 1;
      if (!equal(item, other, run)) return order(item, other, operator, run);
    }
    return left.length - right.length;
  });
}

/** Returns the values in Python's order; equal ones keep theirs, also when reversed. */
export function sorted<T>(items: readonly T[], keyOf: (item: T) => Value, reverse: boolean, run: Run): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((a, b) => (reverse ? order(b.key, a.key, "<", run) : order(a.key, b.key, "<", run)));
  return keyed.map(({ item }) => item);
}

/** Python's `in`. @throws {TemplateFailure} if nothing can be in the second value */
export function contains(container: Value, item: Value, run: Run): boolean {
  if (typeof container === "string") {
    if (typeof item !== "string") {
      throw new TemplateFailure(`'in <string>' requires string as left operand, not ${typeName(item)}`);
    }
    run.text(container.length);
    return container.includes(item);
  }
  if (container instanceof Dict) return container.has(item);
  if (container instanceof DictView && container.kind === "keys") return container.dict.has(item);
  if (container instanceof Range) {
    const number = item instanceof Float || asInteger(item) !== undefined ? asNumber(item) : undefined;
    const index = number === undefined ? Number.NaN : (number - container.start) / container.step;
    return Number.isInteger(index) && index >= 0 && index < container.length;
  }
  if (container === null || asNumber(container) !== undefined) {
    throw new TemplateFailure(`argument of type '${typeName(container)}' is not iterable`);
  }
  for (const each of iterate(container)) {
    run.step();
    if (equal(each, item, run)) return true;
  }
  return false;
}
