/** Starts the page's two workers from the program that the page carries, compressed: from a blob, as a file may load no other. */
import type { FromWorker, ToWorker } from "../worker/messages.js";

export interface PolicyWorker {
  readonly say: (message: ToWorker) => void;
}

/** @returns the address of the workers' program */
export async function unpackProgram(): Promise<string> {
  const packed = atob(document.getElementById("worker")?.textContent ?? "");
  const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return URL.createObjectURL(
    new Blob([await new Response(stream).arrayBuffer()], { type: "text/javascript" }),
  );
}

export function startWorker(program: string, hear: (message: FromWorker) => void): PolicyWorker {
  const worker = new Worker(program);
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => hear(data);
  worker.onerror = ({ message }) => hear({ kind: "failed", problem: message });
  return { say: (message) => worker.postMessage(message) };
}
