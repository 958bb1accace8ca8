import type { Backend } from "../backend/backend.js";

/** Numbers by step, in TensorBoard's event files. */
export interface ScalarLog {
  /** Writes and flushes one step's numbers; a number that is not finite is left out. */
  write(step: number, values: Readonly<Record<string, number>>): void;
}

/**
 * Opens an event file in `folder`, written by TensorFlow itself.
 * @returns undefined if the backend is not TensorFlow, because no other backend writes such files
 */
export async function openScalarLog(backend: Backend, folder: string): Promise<ScalarLog | undefined> {
  if (backend.name !== "tensorflow") return undefined;
  const { node } = await import("../base/tfjs-node.js");
  const writer = node.summaryFileWriter(folder);
  return {
    write(step, values) {
      for (const [name, value] of Object.entries(values)) {
        if (Number.isFinite(value)) writer.scalar(name, value, step);
      }
      writer.flush();
    },
  };
}
