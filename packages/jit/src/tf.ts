import { createRequire } from "node:module";
import type * as tfjs from "@tensorflow/tfjs";

/**
 * All of tfjs, loaded by `require`: an `import` of it parses its files a second time, only to list what they export,
 * and that costs each process that starts three times what tfjs itself takes to load. Both ways give the same module.
 */
export const tf: typeof tfjs = createRequire(import.meta.url)("@tensorflow/tfjs");

/** The types that go with the values: a namespace that was loaded by `require` has none of its own. */
export declare namespace tf {
  type Tensor<R extends tfjs.Rank = tfjs.Rank> = tfjs.Tensor<R>;
  type Scalar = tfjs.Scalar;
  type Tensor1D = tfjs.Tensor1D;
  type Tensor2D = tfjs.Tensor2D;
  type TensorInfo = tfjs.TensorInfo;
  type GradSaveFunc = tfjs.GradSaveFunc;
  type KernelFunc = tfjs.KernelFunc;
}
