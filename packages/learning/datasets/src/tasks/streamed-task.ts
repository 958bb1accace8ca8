import type { Task } from "@palimpsest/trajectories";

/** A task whose document is generated sentence by sentence, for lengths that should not be kept in memory. */
export interface StreamedTask extends Omit<Task, "document"> {
  /** Yields the document's sentences in order. Every call starts over and yields the same ones. */
  pieces(): IterableIterator<string>;
}
