/** Records and the closed sets of their fields, apart from the queues: who needs no more loads neither BullMQ nor gRPC. */
export { type LocomoCategory, locomoCategories } from "./locomo-category.js";
export {
  type MemoryRecord,
  type MemoryType,
  memoryTypes,
  type Probe,
  type StoreDiff,
} from "./memory-record.js";
export { isPlain, isTruncated, plainSampling, type Sampling } from "./trajectory.js";
