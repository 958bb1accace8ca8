// For other packages.
export { chooseGpus, type GpuShares, giveBackGpus, takeGpus, wholeGpus } from "./gpu-instances.js";
export { type NodeView, type PlacementRequest, place } from "./placement.js";
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
