// For other packages.
export { type NodeView, type Placement, type PlacementRequest, place } from "./placement.js";
export {
  addQuantities,
  exactQuantity,
  fits,
  normalizeQuantities,
  type Quantities,
  quantitiesProblem,
  subtractQuantities,
} from "./resources.js";
