const longestShown = 60;

/** Settings of a run that may be raised when it is opened again: nothing of the steps before depends on them. */
export const extendable = ["train.steps", "learner.schedule.totalSteps"] as const;

/** Returns the saved recipe with those numbers of the present one that make the run longer. */
export function withLarger<T>(there: T, here: unknown): T {
  return extendable.reduce((recipe, path) => {
    const keys = path.split(".");
    const [before, now] = [valueAt(there, keys), valueAt(here, keys)];
    const isLarger = typeof before === "number" && typeof now === "number" && now > before;
    return isLarger ? withValue(recipe, keys, now) : recipe;
  }, there);
}

function valueAt(json: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), json);
}

function withValue<T>(json: T, [key, ...rest]: readonly string[], value: unknown): T {
  if (key === undefined || !isObject(json)) return json;
  return { ...json, [key]: rest.length === 0 ? value : withValue(json[key], rest, value) };
}

/** Describes the first field in which two recipes, as plain JSON, differ: its path and both values. Undefined if they are the same. */
export function recipeDifference(there: unknown, here: unknown, path = ""): string | undefined {
  if (isObject(there) && isObject(here)) {
    for (const key of new Set([...Object.keys(there), ...Object.keys(here)])) {
      const found = recipeDifference(there[key], here[key], path === "" ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (JSON.stringify(there) === JSON.stringify(here)) return undefined;
  return `${path} is ${shown(there)} there and ${shown(here)} here`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}
