export { type Deadline, type JoinedSignal, joinSignals, withDeadline } from "./deadline.js";
export { whenAborted } from "./when-aborted.js";
