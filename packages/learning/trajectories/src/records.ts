/** Re-exports the records and the closed sets of their fields, which the memory package owns, without the queues. */
export {
  type LocomoCategory,
  locomoCategories,
  type MemoryRecord,
  memoryTypes,
  type Probe,
  plainSampling,
  type Sampling,
  type StoreDiff,
} from "@palimpsest/memory/records";
