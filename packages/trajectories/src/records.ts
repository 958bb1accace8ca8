/** Records and the closed sets of their fields, which package memory owns, apart from the queues. */
export {
  isPlain,
  isTruncated,
  type LocomoCategory,
  locomoCategories,
  type MemoryRecord,
  type MemoryType,
  memoryTypes,
  type Probe,
  plainSampling,
  type Sampling,
  type StoreDiff,
} from "@palimpsest/memory/records";
