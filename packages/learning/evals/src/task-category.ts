/**
 * Number of categories that are distinguished in one evaluation or step. Tasks of further categories are counted under
 * `otherCategory`.
 */
export const maxCategories = 64;
const otherCategory = "other";

/** Returns the category of a task, `metadata.category`; undefined when it has none. */
export function taskCategory(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const { category } = metadata;
  return typeof category === "string" && category !== "" ? category : undefined;
}

/**
 * Groups values by category, in the order of the categories' names; values without a category are left out. At most
 * `maxCategories` are distinguished, so that metadata that differ for every task do not fill logs and reports.
 */
export function byCategory<Value>(
  values: readonly { readonly category: string | undefined; readonly value: Value }[],
): Map<string, Value[]> {
  const names = [...new Set(values.flatMap(({ category }) => category ?? []))].sort();
  const kept = new Set(names.slice(0, maxCategories));
  const found = new Map<string, Value[]>();
  for (const { category, value } of values) {
    if (category === undefined) continue;
    const name = kept.has(category) ? category : otherCategory;
    const known = found.get(name);
    if (known) known.push(value);
    else found.set(name, [value]);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
