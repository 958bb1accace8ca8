/** Quantities by name: "cpu" and "gpu" are counts (fractions allowed), "memory" is bytes, others are custom. */
export type Quantities = Readonly<Record<string, number>>;

/** Fractions are kept in steps of 1/10000, so that sums of them stay exact. */
const stepsPerUnit = 10_000;

/** Above this a step is no longer exact in a double: such quantities (bytes) are whole numbers. */
const largestFractional = 5e11;

/** The nearest quantity that can be added and subtracted without rounding. */
export function exactQuantity(value: number): number {
  return Math.abs(value) < largestFractional
    ? Math.round(value * stepsPerUnit) / stepsPerUnit
    : Math.round(value);
}

/** What is wrong with these quantities as a request or a capacity, or undefined when nothing is. */
export function quantitiesProblem(quantities: Quantities): string | undefined {
  for (const [name, value] of Object.entries(quantities)) {
    if (name === "") return "a resource has an empty name";
    if (!Number.isFinite(value) || value < 0) {
      return `resource ${name} is ${value}: it must be a number of at least 0`;
    }
    if (value > 0 && exactQuantity(value) === 0) {
      return `resource ${name} is ${value}: the smallest fraction is ${1 / stepsPerUnit}`;
    }
  }
  return undefined;
}

/** As `quantitiesProblem`, for what an actor or driver asks: more than one gpu means whole ones. */
export function requestProblem(quantities: Quantities): string | undefined {
  const gpu = quantities["gpu"] ?? 0;
  if (gpu <= 1 || Number.isInteger(gpu) || !Number.isFinite(gpu)) return quantitiesProblem(quantities);
  return `resource gpu is ${gpu}: more than one is a whole number of devices; ask for ${Math.floor(gpu)} or ${Math.ceil(gpu)}`;
}

/** Exact quantities without the zero ones; names in alphabetical order, so that messages are stable. */
export function normalizeQuantities(quantities: Quantities): Quantities {
  const result: Record<string, number> = {};
  for (const name of Object.keys(quantities).sort()) {
    const value = exactQuantity(quantities[name] ?? 0);
    if (value !== 0) result[name] = value;
  }
  return result;
}

/** a + b by name. */
export function addQuantities(a: Quantities, b: Quantities): Quantities {
  return combine(a, b, 1);
}

/** a − b by name. May go below zero: the caller asks `fits` before. */
export function subtractQuantities(a: Quantities, b: Quantities): Quantities {
  return combine(a, b, -1);
}

/** Whether the request is within what is available. */
export function fits(available: Quantities, request: Quantities): boolean {
  for (const name in request) {
    if (exactQuantity(request[name] ?? 0) > exactQuantity(available[name] ?? 0)) return false;
  }
  return true;
}

/** Entries in the order of their names. */
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
