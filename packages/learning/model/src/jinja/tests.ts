import type { Builtin } from "./builtin.js";
import { contains, equal, order } from "./compare.js";
import { TemplateFailure } from "./failure.js";
import { compute } from "./numbers.js";
import { textOf } from "./print.js";
import { isLower, isUpper } from "./python-text.js";
import {
  asNumber,
  Callable,
  Dict,
  Float,
  iterate,
  List,
  Loop,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.js";

const is = (check: (value: Value) => boolean): Builtin<boolean> => [[], (value) => check(value)];

const ordered = (operator: string, check: (order: number) => boolean): Builtin<boolean> => [
  ["other"],
  (value, given, { run }) => check(order(value, given.value("other"), operator, run)),
];

const equals: Builtin<boolean> = [
  ["other"],
  (value, given, { run }) => equal(value, given.value("other"), run),
];
const differs: Builtin<boolean> = [
  ["other"],
  (value, given, { run }) => !equal(value, given.value("other"), run),
];
const more = ordered(">", (sign) => sign > 0);
const atLeast = ordered(">=", (sign) => sign >= 0);
const less = ordered("<", (sign) => sign < 0);
const atMost = ordered("<=", (sign) => sign <= 0);

function remainder(value: Value, divisor: Value): Value {
  if (value instanceof Undefined) throw new TemplateFailure(value.reason);
  const rest = compute("%", value, divisor);
  if (rest !== undefined) return rest;
  throw new TemplateFailure(
    `unsupported operand type(s) for %: '${typeName(value)}' and '${typeName(divisor)}'`,
  );
}

const isIterable = (value: Value): boolean => {
  if (value === null || typeof value !== "object") return typeof value === "string";
  try {
    if (value instanceof Loop) return true;
    iterate(value);
    return true;
  } catch {
    return false;
  }
};

export const tests: Readonly<Record<string, Builtin<boolean>>> = {
  boolean: is((value) => typeof value === "boolean"),
  callable: is((value) => value instanceof Callable || value instanceof Loop || value instanceof Undefined),
  defined: is((value) => !(value instanceof Undefined)),
  undefined: is((value) => value instanceof Undefined),
  divisibleby: [["num"], (value, given, { run }) => equal(remainder(value, given.value("num")), 0, run)],
  eq: equals,
  equalto: equals,
  "==": equals,
  ne: differs,
  "!=": differs,
  gt: more,
  greaterthan: more,
  ">": more,
  ge: atLeast,
  ">=": atLeast,
  lt: less,
  lessthan: less,
  "<": less,
  le: atMost,
  "<=": atMost,
  escaped: is(() => false),
  even: [[], (value, _given, { run }) => equal(remainder(value, 2), 0, run)],
  odd: [[], (value, _given, { run }) => equal(remainder(value, 2), 1, run)],
  false: is((value) => value === false),
  true: is((value) => value === true),
  float: is((value) => value instanceof Float),
  in: [["seq"], (value, given, { run }) => contains(given.value("seq"), value, run)],
  integer: is((value) => typeof value === "number" || typeof value === "bigint"),
  iterable: is(isIterable),
  lower: [[], (value, _given, { run }) => isLower(textOf(value, run))],
  upper: [[], (value, _given, { run }) => isUpper(textOf(value, run))],
  mapping: is((value) => value instanceof Dict),
  none: is((value) => value === null),
  number: is((value) => asNumber(value) !== undefined),
  sameas: [
    ["other"],
    (value, given) => {
      const other = given.value("other");
      if (value instanceof Float && other instanceof Float) return value.value === other.value;
      return value === other && typeof value === typeof other;
    },
  ],
  sequence: is(
    (value) =>
      typeof value === "string" ||
      value instanceof List ||
      value instanceof Tuple ||
      value instanceof Dict ||
      value instanceof Range ||
      value instanceof Undefined,
  ),
  string: is((value) => typeof value === "string"),
};
