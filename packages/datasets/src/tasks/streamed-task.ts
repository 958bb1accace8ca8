import type { Task } from "@palimpsest/trajectories";

/** A task whose document is made sentence by sentence, for lengths that should not be held in memory. */
export interface StreamedTask extends Omit<Task, "document"> {
  /** The document's sentences in order; every call starts anew and gives the same ones. */
  pieces(): IterableIterator<string>;
}
