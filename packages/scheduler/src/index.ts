// For other packages.

export type { AutoscalerReport, ScalableCluster, ScaledNode } from "./autoscaling.js";
export { explainBundles } from "./bundle-explanation.js";
export {
  type BundlePlace,
  type GroupRequest,
  type GroupStrategy,
  groupStrategies,
  placeBundles,
} from "./bundle-placement.js";
export { chooseGpus, type GpuShares, giveBackGpus, takeGpus, wholeGpus } from "./gpu-instances.js";
export { conditionProblem, type LabelCondition } from "./label-conditions.js";
export {
  emptyNode,
  type PendingDemand,
  planNodes,
  type UnmetDemand,
} from "./node-planning.js";
export { type NodeView, type PlacementRequest, place, type Strategy } from "./placement.js";
export { PlacementIndex, type WaitingShape } from "./placement-index.js";
export {
  addQuantities,
  fits,
  normalizeQuantities,
  type Quantities,
  requestProblem,
  subtractQuantities,
} from "./resources.js";
