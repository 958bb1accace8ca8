import { TemplateFailure } from "./failure.js";
import { asInteger, asNumber, Float, integer, typeName, type Value } from "./values.js";

export type Arithmetic = "+" | "-" | "*" | "/" | "//" | "%" | "**";

/** An integer of more bits is no length, count or id; computing it would take the machine's memory. */
const mostBits = 4096n;

/**
 * Computes with two numbers as Python does: integers stay exact, `/` gives a float, `//` and `%` round down.
 * Returns undefined if one of the values is no number.
 */
export function compute(operator: Arithmetic, left: Value, right: Value): Value | undefined {
  const a = asInteger(left);
  const b = asInteger(right);
  if (a !== undefined && b !== undefined) return computeIntegers(operator, a, b);
  const x = asNumber(left);
  const y = asNumber(right);
  return x === undefined || y === undefined ? undefined : computeFloats(operator, x, y);
}

function computeIntegers(operator: Arithmetic, a: number | bigint, b: number | bigint): Value {
  if (operator === "/") {
    if (b === 0) throw new TemplateFailure("division by zero");
    return new Float(Number(a) / Number(b));
  }
  if (typeof a === "number" && typeof b === "number") {
    const fast = computeSafe(operator, a, b);
    if (fast !== undefined && Number.isSafeInteger(fast)) return fast + 0;
  }
  if (operator === "**" && b < 0) {
    if (a === 0 || -b > 300) return computeFloats(operator, Number(a), Number(b));
    // The power of doubles is off by a digit for some negative exponents.
    return new Float(1 / Number(computeBig(operator, BigInt(a), -BigInt(b))));
  }
  return integer(computeBig(operator, BigInt(a), BigInt(b)));
}

function computeSafe(operator: Arithmetic, a: number, b: number): number | undefined {
  if (operator === "+") return a + b;
  if (operator === "-") return a - b;
  if (operator === "*") return a * b;
  if (b === 0) return undefined;
  // The remainder of doubles is exact, and the quotient is computed from it because a division would round.
  const rest = a % b;
  const modulo = rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
  if (operator === "%") return modulo;
  return operator === "//" ? (a - modulo) / b : undefined;
}

function computeBig(operator: Arithmetic, a: bigint, b: bigint): bigint {
  if (operator === "+") return checked(a + b);
  if (operator === "-") return checked(a - b);
  if (operator === "*") return checked(a * b);
  if (operator === "**") {
    const bits = BigInt(a.toString(2).length);
    if (a !== 0n && a !== 1n && a !== -1n && bits * b > mostBits) throw tooLarge();
    return a ** b;
  }
  if (b === 0n) throw new TemplateFailure("integer modulo by zero");
  const rest = a % b;
  const modulo = rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
  return operator === "%" ? modulo : (a - modulo) / b;
}

const limit = 1n << mostBits;
const tooLarge = () => new TemplateFailure(`computes an integer of more than ${mostBits} bits`);

function checked(value: bigint): bigint {
  if (value > limit || value < -limit) throw tooLarge();
  return value;
}

function computeFloats(operator: Arithmetic, a: number, b: number): Value {
  if (operator === "+") return new Float(a + b);
  if (operator === "-") return new Float(a - b);
  if (operator === "*") return new Float(a * b);
  if (operator === "**") return power(a, b);
  if (b === 0) throw new TemplateFailure("float division by zero");
  if (operator === "/") return new Float(a / b);
  const rest = a % b;
  const modulo = rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest === 0 ? Math.sign(b) * 0 : rest;
  if (operator === "%") return new Float(modulo);
  // A quotient of zero has the sign of the division.
  const quotient = (a - modulo) / b;
  const below = Math.floor(quotient);
  const whole = quotient - below > 0.5 ? below + 1 : below;
  return new Float(whole || Math.sign(a / b || 1 / (a * b)) * 0);
}

function power(a: number, b: number): Float {
  if (a === 0 && b < 0) throw new TemplateFailure("0.0 cannot be raised to a negative power");
  const value = a ** b;
  if (Number.isNaN(value) && !Number.isNaN(a) && !Number.isNaN(b)) {
    throw new TemplateFailure("computes a complex number, which no template needs");
  }
  if (!Number.isFinite(value) && Number.isFinite(a) && Number.isFinite(b)) {
    throw new TemplateFailure("(34, 'Numerical result out of range')");
  }
  return new Float(value);
}

/** @throws {TemplateFailure} if the value is no number */
export function negate(value: Value, sign: -1 | 1): Value {
  const whole = asInteger(value);
  if (whole !== undefined) return sign > 0 || whole === 0 ? whole : integer(-BigInt(whole));
  if (value instanceof Float) return new Float(sign * value.value);
  throw new TemplateFailure(`bad operand type for unary ${sign < 0 ? "-" : "+"}: '${typeName(value)}'`);
}

/** Returns an argument that must be an integer as a number. @throws {TemplateFailure} for every other value */
export function toIndex(value: Value, what: string): number {
  const whole = asInteger(value);
  if (whole === undefined) throw new TemplateFailure(`${what} must be an integer, not ${typeName(value)}`);
  return Number(whole);
}
