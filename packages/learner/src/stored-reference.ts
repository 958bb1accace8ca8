/**
 * The weights of the reference on disk. They stay the same from checkpoint to checkpoint, so the first one writes them
 * and the next ones link to its file: every checkpoint's folder is whole, and the disk holds them once.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { durableFiles } from "./durable-files.js";
import { stateName } from "./state.js";
import { type TensorFile, writeTensorFile } from "./tensor-file.js";

const FILE = "reference.bin";

type Values = Readonly<Record<string, Float32Array>>;

/** One reference of a learner, and where its file lies. A learner that takes another reference begins another one. */
export class StoredReference {
  #folder: string | undefined;
  #file: TensorFile | undefined;

  /** @param stored the checkpoint that it was read from */
  constructor(stored?: { readonly folder: string; readonly file: TensorFile }) {
    this.#folder = stored?.folder;
    this.#file = stored?.file;
  }

  /** Whether a checkpoint can be written without its tensors at hand. */
  get isStored(): boolean {
    return this.#folder !== undefined && existsSync(join(this.#folder, FILE));
  }

  /**
   * Puts the file into a checkpoint's folder: by a link to the one that is stored, or from the tensors.
   * @returns what the checkpoint's manifest says of it; undefined where there is no reference
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

  /** The folder that it was placed in has this name now. */
  moved(folder: string): void {
    if (this.#file !== undefined) this.#folder = folder;
  }
}

export function referenceFile(folder: string): string {
  return join(folder, FILE);
}

/** Tensors of a checkpoint: those of its reference, and those that change with every step. */
export function splitReference(tensors: Values): { readonly reference: Values; readonly changing: Values } {
  const isReference = ([name]: readonly [string, Float32Array]) =>
    name.startsWith(stateName("reference", ""));
  const entries = Object.entries(tensors);
  return {
    reference: Object.fromEntries(entries.filter(isReference)),
    changing: Object.fromEntries(entries.filter((entry) => !isReference(entry))),
  };
}
