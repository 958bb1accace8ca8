/**
 * Quantities by resource name: "cpu" and "gpu" are counts (fractions are allowed), "memory" is in bytes, others are
 * custom.
 */
export type Quantities = Readonly<Record<string, number>>;

/** Fractions are rounded to steps of 1/10000, so that their sums stay exact. */
const stepsPerUnit = 10_000;

/** Above this value a step is no longer exact in a double, so such quantities (bytes) are rounded to whole numbers. */
const largestFractional = 5e11;

/** Rounds to the nearest quantity that can be added and subtracted exactly. */
export function exactQuantity(value: number): number {
  return Math.abs(value) < largestFractional
    ? Math.round(value * stepsPerUnit) / stepsPerUnit
    : Math.round(value);
}

/** Returns what is wrong with these quantities as a request or a capacity, or undefined when they are valid. */
export function quantitiesProblem(quantities: Quantities): string | undefined {
  for (const [name, value] of Object.entries(quantities)) {
    if (name === "") return "a resource has an empty name: name it, for example cpu";
    if (!Number.isFinite(value) || value < 0) {
      return `resource ${name} is ${value}: it must be a number that is at least 0`;
    }
    if (value > 0 && exactQuantity(value) === 0) {
      return `resource ${name} is ${value}: the smallest fraction is ${1 / stepsPerUnit}`;
    }
  }
  return undefined;
}

/** As `quantitiesProblem`, for the request of an actor or driver, where more than one GPU must be a whole number. */
export function requestProblem(quantities: Quantities): string | undefined {
  const gpu = quantities["gpu"] ?? 0;
  if (gpu <= 1 || Number.isInteger(gpu) || !Number.isFinite(gpu)) return quantitiesProblem(quantities);
  return `resource gpu is ${gpu}: above one it must be a whole number of devices; request ${Math.floor(gpu)} or ${Math.ceil(gpu)}`;
}

/** Rounds the quantities and drops zeros. Names are sorted, so that messages are stable. */
export function normalizeQuantities(quantities: Quantities): Quantities {
  const result: Record<string, number> = {};
  for (const name of Object.keys(quantities).sort()) {
    const value = exactQuantity(quantities[name] ?? 0);
    if (value !== 0) result[name] = value;
  }
  return result;
}

/** Returns a + b for each name. */
export function addQuantities(a: Quantities, b: Quantities): Quantities {
  return combine(a, b, 1);
}

/** Returns a − b for each name. Results may be negative, so the caller asks `fits` first. */
export function subtractQuantities(a: Quantities, b: Quantities): Quantities {
  return combine(a, b, -1);
}

/** Returns whether the request is within what is available. */
export function fits(available: Quantities, request: Quantities): boolean {
  for (const name in request) {
    if (exactQuantity(request[name] ?? 0) > exactQuantity(available[name] ?? 0)) return false;
  }
  return true;
}

/** Returns the entries sorted by name. */
export function sortedEntries<Value>(record: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function combine(a: Quantities, b: Quantities, sign: 1 | -1): Quantities {
  const result: Record<string, number> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    result[name] = exactQuantity((result[name] ?? 0) + sign * exactQuantity(value));
  }
  return result;
}
