/**
 * Analyzes what became of the facts that an answer needed, with plain functions over traces that also run in a browser.
 */

export { type DiffPart, wordDiff } from "../trace/word-diff.js";
export {
  type FactLane,
  factLanes,
  type LaneEnd,
  type LaneEvent,
  type LaneStep,
  type NeededFact,
  neededFacts,
} from "./fact-lanes.js";
export {
  type CountedFact,
  type FactLosses,
  factLosses,
  factLossesText,
  type RetentionPoint,
} from "./fact-losses.js";
export { type Said, saysFact } from "./fact-match.js";
export { isRead, type LaneMark, laneEndText, laneLegend, laneMark } from "./lane-marks.js";
export {
  type CountedEpisode,
  type LaneSummary,
  type LossPlace,
  laneSummaries,
  lossPlaces,
  lossSentence,
} from "./run-losses.js";
export { type ReplayedCall, replayStore, type StoreChange } from "./store-replay.js";
