// For other packages.
export { explainBundles } from "./bundle-explanation.js";
export {
  type BundlePlace,
  type GroupRequest,
  type GroupStrategy,
  groupStrategies,
  placeBundles,
} from "./bundle-placement.js";
export { chooseGpus, type GpuShares, giveBackGpus, takeGpus, wholeGpus } from "./gpu-instances.js";
export { conditionProblem, type LabelCondition, labelOperators } from "./label-conditions.js";
export { type NodeView, type PlacementRequest, place, type Strategy } from "./placement.js";
export { PlacementIndex, type WaitingShape } from "./placement-index.js";
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
