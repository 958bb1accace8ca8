import type { DownloadOptions } from "./download-model.js";

/** A model that has a short name here and comes from somewhere else than a hub. */
export interface KnownModel {
  /** One line for lists: what it is, from where, under which license. */
  readonly description: string;
  /** Fetches it and writes its folder, whole or not at all. */
  readonly make: (folder: string, options: MakeOptions) => Promise<void>;
}

export type MakeOptions = Pick<DownloadOptions, "signal" | "onProgress" | "refresh">;
