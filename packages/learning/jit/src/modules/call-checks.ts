import { JitError } from "../base/error.js";
import { checkHostArray, type HostArray, type StateSpec, type TensorSpec } from "../base/spec.js";

type Specs = Readonly<Record<string, TensorSpec>>;
type Arrays = Readonly<Record<string, HostArray>>;

/** Returns the inputs of a call in declared order; refuses missing, unknown and misshapen ones. */
export function orderedInputs(name: string, specs: Specs, inputs: Arrays): HostArray[] {
  const ordered = Object.entries(specs).map(([key, spec]) => {
    const values = inputs[key];
    if (values === undefined) {
      throw new JitError(
        "UNKNOWN_INPUT",
        `function ${JSON.stringify(name)} needs input ${JSON.stringify(key)}, which is missing`,
      );
    }
    checkHostArray(`input ${JSON.stringify(key)} of function ${JSON.stringify(name)}`, spec, values);
    return values;
  });
  for (const key of Object.keys(inputs)) {
    if (key in specs) continue;
    throw new JitError(
      "UNKNOWN_INPUT",
      `function ${JSON.stringify(name)} has no input ${JSON.stringify(key)}; it takes ${Object.keys(specs).join(", ") || "none"}`,
    );
  }
  return ordered;
}

/** Refuses values for entries that the state does not have, or that have another size. */
export function checkState(specs: Specs, values: Arrays): void {
  for (const [key, array] of Object.entries(values)) {
    checkHostArray(`state ${JSON.stringify(key)}`, stateSpec(specs, key), array);
  }
}

export function stateSpec<Spec extends TensorSpec>(specs: Readonly<Record<string, Spec>>, key: string): Spec {
  const spec = specs[key];
  if (spec !== undefined) return spec;
  throw new JitError("UNKNOWN_STATE", `the state has no entry ${JSON.stringify(key)}`);
}

/** Refuses an entry that is not read as bfloat16. */
export function checkReadHalf(name: string, { asHalf }: StateSpec): void {
  if (asHalf === "read" || asHalf === "both") return;
  throw new JitError(
    "INVALID_OPTIONS",
    `state ${JSON.stringify(name)} cannot be read as bfloat16; specify it with asHalf "read"`,
  );
}

export function unknownFunction(name: string, known: Iterable<string>): JitError {
  return new JitError(
    "UNKNOWN_FUNCTION",
    `no function ${JSON.stringify(name)}; the module has ${[...known].join(", ") || "none"}`,
  );
}

export function disposed(): JitError {
  return new JitError("DISPOSED", "the module was disposed; create a new one with jit()");
}

/** Refuses inputs or values for another number of replicas. */
export function checkEach(what: string, given: readonly unknown[], replicas: number): void {
  if (given.length === replicas) return;
  throw new JitError(
    "INVALID_OPTIONS",
    `${what} was given inputs of ${given.length} replicas, but the module has ${replicas}; give one set of inputs per replica`,
  );
}

/** Refuses a replica that the module does not have. */
export function checkReplica(replica: number | undefined, replicas: number): void {
  if (replica === undefined || (Number.isInteger(replica) && replica >= 0 && replica < replicas)) return;
  throw new JitError(
    "INVALID_OPTIONS",
    `replica is ${replica}, but the module has ${replicas}; give a number from 0 to ${replicas - 1}`,
  );
}

/** Refuses values of replicas that name different entries. */
export function checkSameEntries(each: readonly Readonly<Record<string, unknown>>[]): void {
  const [first = {}, ...others] = each;
  const names = Object.keys(first);
  for (const [index, values] of others.entries()) {
    if (Object.keys(values).length === names.length && names.every((name) => name in values)) continue;
    throw new JitError(
      "INVALID_OPTIONS",
      `writeEach was given ${Object.keys(values).join(", ") || "no entries"} for replica ${index + 1}, but ${names.join(", ") || "none"} for the first; give the same entries for each`,
    );
  }
}
