import { contains, equal, order } from "./compare.js";
import { TemplateFailure } from "./failure.js";
import { compute } from "./numbers.js";
import type { Run } from "./run.js";
import type { BinaryOperator, ComparisonOperator } from "./syntax.js";
import { percentFormat } from "./text-format.js";
import { asInteger, List, Tuple, typeName, Undefined, type Value } from "./values.js";

/** Python's arithmetic on every kind of value. @throws {TemplateFailure} for values that it does not fit */
export function operate(operator: BinaryOperator, left: Value, right: Value, run: Run): Value {
  if (operator === "+" && typeof left === "string" && typeof right === "string") {
    run.joined(left.length + right.length);
    return left + right;
  }
  const computed = compute(operator, left, right);
  if (computed !== undefined) return computed;
  for (const value of [left, right]) {
    if (value instanceof Undefined && !(operator === "%" && typeof left === "string")) {
      throw new TemplateFailure(value.reason);
    }
  }
  if (operator === "%" && typeof left === "string") return percentFormat(left, right, run);
  if (operator === "+" && left instanceof List && right instanceof List) {
    return new List(joined(left.items, right.items, run));
  }
  if (operator === "+" && left instanceof Tuple && right instanceof Tuple) {
    return new Tuple(joined(left.items, right.items, run));
  }
  const repeated = operator === "*" ? (repeat(left, right, run) ?? repeat(right, left, run)) : undefined;
  if (repeated !== undefined) return repeated;
  if (operator === "+" && (typeof left === "string" || left instanceof List || left instanceof Tuple)) {
    const type = typeName(left);
    throw new TemplateFailure(`can only concatenate ${type} (not "${typeName(right)}") to ${type}`);
  }
  throw new TemplateFailure(
    `unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`,
  );
}

function joined(left: readonly Value[], right: readonly Value[], run: Run): readonly Value[] {
  run.step(left.length + right.length);
  return [...left, ...right];
}

function repeat(value: Value, times: Value, run: Run): Value | undefined {
  const whole = asInteger(times);
  if (whole === undefined) return undefined;
  const count = Math.max(0, Number(whole));
  if (typeof value === "string") {
    run.text(value.length * count);
    return value === "" ? "" : value.repeat(count);
  }
  if (!(value instanceof List || value instanceof Tuple)) return undefined;
  run.step(value.items.length * count);
  const items = value.items.length === 0 ? [] : Array.from({ length: count }, () => value.items).flat();
  return value instanceof List ? new List(items) : new Tuple(items);
}

export function compareValues(operator: ComparisonOperator, left: Value, right: Value, run: Run): boolean {
  switch (operator) {
    case "==":
      return equal(left, right, run);
    case "!=":
      return !equal(left, right, run);
    case "in":
      return contains(right, left, run);
    case "not in":
      return !contains(right, left, run);
    case "<":
      return order(left, right, operator, run) < 0;
    case "<=":
      return order(left, right, operator, run) <= 0;
    case ">":
      return order(left, right, operator, run) > 0;
    case ">=":
      return order(left, right, operator, run) >= 0;
  }
}
