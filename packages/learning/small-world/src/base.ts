export { type BaseRecipe, baseRecipeSchema } from "./base/base-recipe.js";
export { trainBaseTokenizer } from "./base/base-tokenizer.js";
export {
  type BaseProgress,
  makeBaseModel,
} from "./base/make-base.js";
