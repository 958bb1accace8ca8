/**
 * The weights of the reference on disk. They are the same from checkpoint to checkpoint, so the first one writes them
 * and later ones link to its file: every checkpoint's folder is complete, and the disk has them once.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { durableFiles } from "@palimpsest/std/files";
import { stateName } from "../state/state.js";
import { type TensorFile, writeTensorFile } from "./tensor-file.js";

const FILE = "reference.bin";

type Values = Readonly<Record<string, Float32Array>>;

/** One reference of a learner, and the location of its file. A learner that changes its reference creates another one. */
export class StoredReference {
  #folder: string | undefined;
  #file: TensorFile | undefined;

  /** @param stored the checkpoint that the reference was read from */
  constructor(stored?: { readonly folder: string; readonly file: TensorFile }) {
    this.#folder = stored?.folder;
    this.#file = stored?.file;
  }

  /** Whether a checkpoint can be written without the reference's tensors. */
  get isStored(): boolean {
    return this.#folder !== undefined && existsSync(join(this.#folder, FILE));
  }

  /**
   * Puts the file into a checkpoint's folder, either by linking the stored one or from the tensors.
   * @returns the entry of the checkpoint's manifest; undefined if there is no reference
   */
  async place(folder: string, tensors: Values): Promise<TensorFile | undefined> {
    const target = join(folder, FILE);
    if (Object.keys(tensors).length > 0) {
      this.#file = await writeTensorFile(target, tensors);
    } else if (this.#folder !== undefined && this.#file !== undefined) {
      await durableFiles.link(join(this.#folder, FILE), target);
    }
    return this.#file;
  }

  /** Records that the folder in which it was placed was renamed. */
  moved(folder: string): void {
    if (this.#file !== undefined) this.#folder = folder;
  }
}

export function referenceFile(folder: string): string {
  return join(folder, FILE);
}

/** Splits the tensors of a checkpoint into those of its reference and those that change with every step. */
export function splitReference(tensors: Values): { readonly reference: Values; readonly changing: Values } {
  const isReference = ([name]: readonly [string, Float32Array]) =>
    name.startsWith(stateName("reference", ""));
  const entries = Object.entries(tensors);
  return {
    reference: Object.fromEntries(entries.filter(isReference)),
    changing: Object.fromEntries(entries.filter((entry) => !isReference(entry))),
  };
}
