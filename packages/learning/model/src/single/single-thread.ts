/** A worker thread of a single request's decoder: computes its share of every pass until it is told to end. */
import { workerData } from "node:worker_threads";
import type { SharedMemory } from "./kernels.js";
import { type SingleOptions, SYNC } from "./layout.js";
import { SingleStep } from "./step.js";

/** What a worker is started with. */
export interface SingleThreadData {
  readonly memory: SharedMemory;
  readonly options: SingleOptions;
  readonly thread: number;
  /** Byte offset of `sync`. */
  readonly syncAt: number;
}

const { memory, options, thread, syncAt } = workerData as SingleThreadData;
const step = new SingleStep(memory, options, thread);
const sync = new Int32Array(memory.buffer, syncAt, SYNC.count);
let job = Atomics.load(sync, SYNC.job);
Atomics.add(sync, SYNC.ready, 1);
for (;;) {
  job = step.barrier.nextJob(job);
  if (job < 0) break;
  const tokens = sync.subarray(SYNC.tokens, SYNC.tokens + Atomics.load(sync, SYNC.rows));
  step.step(tokens, Atomics.load(sync, SYNC.position));
}
