import { createRequire } from "node:module";
import type * as bullmq from "bullmq";

/**
 * Loads BullMQ's classes with `require`: an `import` of it parses its files a second time, only to list what they
 * export, and each process of a run would pay for that at its start.
 */
const loaded: typeof bullmq = createRequire(import.meta.url)("bullmq");

export const { DelayedError, Queue, UnrecoverableError, WaitingError, Worker } = loaded;
export type Queue = bullmq.Queue;
export type Worker = bullmq.Worker;
