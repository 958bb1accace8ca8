import type { DownloadOptions } from "./download-model.js";

/** A model that has a short name here and does not come from a hub. */
export interface KnownModel {
  /** One line for lists: what the model is, where it comes from, and its license. */
  readonly description: string;
  /** Fetches the model and writes its folder, which appears either complete or not at all. */
  readonly make: (folder: string, options: MakeOptions) => Promise<void>;
}

export type MakeOptions = Pick<DownloadOptions, "signal" | "onProgress" | "refresh">;
