const longestShown = 60;

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
