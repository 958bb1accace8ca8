/**
 * Analyzes what became of the facts that an answer needed, with plain functions over traces that also run in a browser.
 */

export { wordDiff } from "../trace/word-diff.js";
export {
  type FactLane,
  factLanes,
} from "./fact-lanes.js";
export { isRead, laneEndText, laneLegend, laneMark } from "./lane-marks.js";
export {
  laneSummaries,
  lossPlaces,
  lossSentence,
} from "./run-losses.js";
export { type ReplayedCall, replayStore, type StoreChange } from "./store-replay.js";
