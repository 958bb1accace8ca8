/** Returns a float as Python prints it: shortest digits, a point, and an exponent from 1e16 and below 1e-4. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) return pythonExponent(value.toExponential());
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Writes an exponent with two digits at least, as C does: 1e-7 becomes 1e-07. */
export const pythonExponent = (text: string): string => text.replace(/e([+-])(\d)$/, "e$10$2");

/** Returns a number with so many digits after the point; exact halves go to the even digit, as in Python. */
export function fixedText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return floatText(value);
  const places = Math.min(digits, 100);
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (size >= 1e21) return `${sign}${BigInt(size)}${digits > 0 ? `.${"0".repeat(digits)}` : ""}`;
  const text = size.toFixed(places);
  return sign + evenTie(size, text, places) + "0".repeat(digits - places);
}

/** JavaScript rounds an exact half up; Python to the even digit. */
function evenTie(size: number, text: string, places: number): string {
  if (places >= 75 || !/[13579]$/.test(text)) return text;
  const exact = size.toFixed(100);
  const rest = exact.slice(exact.indexOf(".") + 1 + places);
  if (!/^50*$/.test(rest)) return text;
  // The digits before the half end in an even digit, and the half was rounded up to the odd one.
  return places === 0 ? exact.slice(0, exact.indexOf(".")) : exact.slice(0, exact.indexOf(".") + 1 + places);
}

/** Python's `round(value, digits)` of a float, whose digits may be negative. */
export function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value)) return value;
  if (digits >= 0) return digits > 22 ? value : Number(fixedText(value, digits));
  const unit = 10 ** -digits;
  const quotient = value / unit;
  const below = Math.floor(quotient);
  const odd = quotient - below === 0.5 ? below % 2 !== 0 : quotient - below > 0.5;
  const rounded = (odd ? below + 1 : below) * unit;
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}

/** Python's `round(value, -digits)` of an integer: exact, and a half goes to the even digit. */
export function roundInteger(value: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(Math.min(digits, 1_000));
  const size = value < 0n ? -value : value;
  const rest = size % unit;
  const below = size / unit;
  const isUp = rest * 2n > unit || (rest * 2n === unit && below % 2n === 1n);
  const rounded = (isUp ? below + 1n : below) * unit;
  return value < 0n ? -rounded : rounded;
}
