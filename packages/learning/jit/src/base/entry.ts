/**
 * Returns an entry that must be there: of a list by its index, of a record by its name.
 * @throws {RangeError} naming the index or name that is missing
 */
export function entry<T>(of: ArrayLike<T>, at: number): T;
export function entry<T>(of: Readonly<Record<string, T>>, at: string): T;
export function entry<T>(of: Readonly<Record<string | number, T>>, at: string | number): T {
  const found = of[at];
  if (found !== undefined) return found;
  throw new RangeError(`there is no entry "${at}"; the entries are ${Object.keys(of).join(", ") || "none"}`);
}
