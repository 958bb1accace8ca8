export {
  type HaystackConfig,
  haystackConfigSchema,
  haystackTasks,
  openHaystackTasks,
} from "./tasks/haystack.js";
export {
  openReverseTwoHopTasks,
  type ReverseTwoHopConfigInput,
  reverseTwoHopConfigSchema,
  reverseTwoHopTasks,
} from "./tasks/reverse-two-hop.js";
export { openRulerTasks, rulerTaskStream, rulerTasks } from "./tasks/ruler.js";
export { type RulerConfigInput, type RulerKind, rulerConfigSchema } from "./tasks/ruler-config.js";
export {
  openStoreTasks,
  type StoreTaskConfigInput,
  storeTaskConfigSchema,
  storeTasks,
} from "./tasks/store-tasks.js";
