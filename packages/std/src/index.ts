export { Backoff, type BackoffLimits, backoffMs, jittered } from "./backoff.js";
export { backgroundClock, type Clock, every, systemClock } from "./clock.js";
export { CodedError, type CodedErrorOptions } from "./coded-error.js";
export { type Deadline, type JoinedSignal, joinSignals, withDeadline } from "./deadline.js";
export { delay } from "./delay.js";
export { isProcessAlive } from "./process-alive.js";
export { Semaphore, type SemaphoreOptions } from "./semaphore.js";
export { sha256Of } from "./sha256.js";
export { whenAborted } from "./when-aborted.js";
