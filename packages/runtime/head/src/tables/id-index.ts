/** An index of sets of ids by key. A key without ids takes no memory. */
export class IdIndex {
  readonly #ids = new Map<string, Set<string>>();

  add(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, new Set([id]));
    else ids.add(id);
  }

  delete(key: string, id: string): void {
    const ids = this.#ids.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.#ids.delete(key);
  }

  of(key: string): string[] {
    return [...(this.#ids.get(key) ?? [])];
  }
}
