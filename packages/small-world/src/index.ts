export {
  haystackConfigSchema,
  openHaystackTasks,
} from "./tasks/haystack.js";
export {
  openReverseTwoHopTasks,
  reverseTwoHopConfigSchema,
  reverseTwoHopTasks,
} from "./tasks/reverse-two-hop.js";
export { openRulerTasks, rulerTaskStream, rulerTasks } from "./tasks/ruler.js";
export { rulerConfigSchema } from "./tasks/ruler-config.js";
export {
  openStoreTasks,
  storeTaskConfigSchema,
  storeTasks,
} from "./tasks/store-tasks.js";
