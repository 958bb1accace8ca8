// For other packages.

export type { AutoscalerReport, NodeTypeReport, ScalableCluster, ScaledNode } from "./autoscaling.js";
export { explainBundles } from "./bundle-explanation.js";
export {
  type BundlePlace,
  type GroupRequest,
  type GroupStrategy,
  groupStrategies,
  placeBundles,
} from "./bundle-placement.js";
export { type Claim, noClaim, type Scope } from "./claim.js";
export { chooseGpus, type GpuShares, giveBackGpus, takeGpus, wholeGpus } from "./gpu-instances.js";
export { conditionProblem, type LabelCondition, labelOperators } from "./label-conditions.js";
export { Ledger, type Limit, type Quotas } from "./ledger.js";
export {
  emptyNode,
  type NodePlan,
  type NodeType,
  type PendingDemand,
  planNodes,
  type UnmetDemand,
} from "./node-planning.js";
export { type NodeView, type PlacementRequest, place, type Strategy } from "./placement.js";
export { PlacementIndex, type WaitingShape } from "./placement-index.js";
export { choosePreemption, type Yielding } from "./preemption.js";
export {
  addQuantities,
  exactQuantity,
  fits,
  normalizeQuantities,
  type Quantities,
  quantitiesProblem,
  requestProblem,
  subtractQuantities,
} from "./resources.js";
