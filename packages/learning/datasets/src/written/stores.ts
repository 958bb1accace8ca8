import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseInput } from "@palimpsest/std/input";
import type { MemoryRecord } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { type MemoryRecordRow, memoryRecordSchema, type NamedStore } from "./task-row.js";

const storesSchema = z.record(z.string(), z.array(memoryRecordSchema));

/** The files of stores that tasks name. Each is read once, so that all tasks of a store share one array of records. */
export class Stores {
  readonly #read = new Map<string, Promise<Readonly<Record<string, readonly MemoryRecord[]>>>>();

  /**
   * Returns a row with its records, whether these are in the row or in a file of stores.
   * @param from the file of tasks; the path of the file of stores is relative to its folder
   * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS if there is no store with that name
   */
  async records<Row extends { readonly records?: readonly MemoryRecordRow[] | NamedStore }>(
    { records, ...row }: Row,
    from: string,
  ): Promise<Omit<Row, "records"> & { readonly records?: readonly MemoryRecord[] }> {
    if (records === undefined) return row;
    if (Array.isArray(records)) return { ...row, records: records as readonly MemoryRecord[] };
    return { ...row, records: await this.#store(records as NamedStore, from) };
  }

  async #store({ stores, store }: NamedStore, from: string): Promise<readonly MemoryRecord[]> {
    const path = resolve(dirname(from), stores);
    let reading = this.#read.get(path);
    if (reading === undefined) {
      reading = readStores(path);
      this.#read.set(path, reading);
    }
    const known = await reading;
    const found = Object.hasOwn(known, store) ? known[store] : undefined;
    if (found !== undefined) return found;
    throw new DatasetError(
      "BAD_ROWS",
      `records: "${path}" has no store "${store}"; give the file of stores that was written with the tasks`,
      { path, store },
    );
  }
}

async function readStores(path: string): Promise<Readonly<Record<string, readonly MemoryRecord[]>>> {
  const bad = (what: string, cause?: unknown) =>
    new DatasetError(
      "UNREADABLE_FILE",
      `stores: "${path}" ${what}; put the file of stores that was written with the tasks there`,
      { path },
      cause,
    );
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw bad("cannot be read", error);
  }
  return parseInput(storesSchema, value, (problem) => bad(`is not a file of stores (${problem})`));
}
