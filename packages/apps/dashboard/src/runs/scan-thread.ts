/** Reads trace files in a separate thread, because half a gigabyte of them must not keep the head from its nodes. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type ScannedLine, scanFile } from "./scan-file.js";

export interface ScanOrder {
  readonly id: number;
  readonly path: string;
  readonly fromBytes: number;
}

export interface ScanNews {
  readonly id: number;
  readonly lines: readonly ScannedLine[];
  readonly done: boolean;
  readonly problem: string;
}

const batch = 100;

// On Linux this lowers the priority of this thread only, within the process.
if (process.platform === "linux") setPriority(10);

async function scan({ id, path, fromBytes }: ScanOrder): Promise<void> {
  let lines: ScannedLine[] = [];
  const tell = (done: boolean, problem = "") => {
    const news: ScanNews = { id, lines, done, problem };
    parentPort?.postMessage(news);
    lines = [];
  };
  try {
    for await (const line of scanFile(path, fromBytes)) {
      lines.push(line);
      if (lines.length >= batch) tell(false);
    }
    tell(true);
  } catch (reason) {
    tell(true, reason instanceof Error ? reason.message : String(reason));
  }
}

let last = Promise.resolve();
parentPort?.on("message", (order: ScanOrder) => {
  last = last.then(() => scan(order));
});
