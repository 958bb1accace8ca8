import { createRequire } from "node:module";
import type * as tfjs from "@tensorflow/tfjs-core";

/** The module whose types give tensors their methods; it exports nothing. */
type Methods = typeof import("@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops.js");

/**
 * All of tfjs, loaded by `require`: an `import` parses its files a second time, only to list their exports, which costs
 * each starting process three times as long as loading tfjs itself. Both give the same module.
 */
export const tf: typeof tfjs & Methods = createRequire(import.meta.url)("@tensorflow/tfjs");

/** The types of these values, because a namespace loaded by `require` has none. */
export declare namespace tf {
  type Tensor<R extends tfjs.Rank = tfjs.Rank> = tfjs.Tensor<R>;
  type Scalar = tfjs.Scalar;
  type Tensor1D = tfjs.Tensor1D;
  type Tensor2D = tfjs.Tensor2D;
  type TensorInfo = tfjs.TensorInfo;
  type GradSaveFunc = tfjs.GradSaveFunc;
  type KernelFunc = tfjs.KernelFunc;
}
