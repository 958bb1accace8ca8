import { sizeOf } from "../base/spec.js";
import { tf } from "../base/tf.js";
import { addRows } from "./segment-sum.js";

interface CpuBackend {
  readonly data: { get(dataId: object): { readonly values: Float32Array | Int32Array | Uint8Array } };
  makeTensorInfo(shape: readonly number[], dtype: string, values: ArrayLike<number>): tf.TensorInfo;
  disposeIntermediateTensorInfo(info: tf.TensorInfo): void;
}

interface ScatterArguments {
  readonly inputs: {
    readonly tensor: tf.TensorInfo;
    readonly indices: tf.TensorInfo;
    readonly updates: tf.TensorInfo;
  };
  readonly attrs: object;
  readonly backend: CpuBackend;
}

interface SegmentSumArguments {
  readonly inputs: { readonly x: tf.TensorInfo; readonly segmentIds: tf.TensorInfo };
  readonly attrs: { readonly numSegments: number };
  readonly backend: CpuBackend;
}

let registered = false;

/**
 * Replaces two kernels of tfjs's cpu backend: TensorScatterUpdate overwrites its input, so it is given a copy, and
 * UnsortedSegmentSum, the gradient of a gather, passes over all values once per segment, so it is written anew.
 */
export function registerCpuKernels(): void {
  const stock = tf.getKernel("TensorScatterUpdate", "cpu");
  if (registered || stock === undefined) return;
  registered = true;
  tf.unregisterKernel("UnsortedSegmentSum", "cpu");
  tf.registerKernel({
    kernelName: "UnsortedSegmentSum",
    backendName: "cpu",
    kernelFunc: (given) => segmentSum(given as unknown as SegmentSumArguments),
  });
  tf.unregisterKernel("TensorScatterUpdate", "cpu");
  tf.registerKernel({
    ...stock,
    kernelFunc: (given) => {
      const { inputs, attrs, backend } = given as unknown as ScatterArguments;
      const { shape, dtype, dataId } = inputs.tensor;
      const tensor = backend.makeTensorInfo(shape, dtype, backend.data.get(dataId).values.slice());
      const copied = { inputs: { ...inputs, tensor }, attrs, backend };
      try {
        return stock.kernelFunc(copied as unknown as Parameters<tf.KernelFunc>[0]);
      } finally {
        backend.disposeIntermediateTensorInfo(tensor);
      }
    },
  });
}

function segmentSum({
  inputs: { x, segmentIds },
  attrs: { numSegments },
  backend,
}: SegmentSumArguments): tf.TensorInfo {
  const shape = [numSegments, ...x.shape.slice(segmentIds.shape.length)];
  const ArrayOf = x.dtype === "int32" ? Int32Array : Float32Array;
  const sums = new ArrayOf(sizeOf(shape));
  const valuesOf = ({ dataId }: tf.TensorInfo) => backend.data.get(dataId).values;
  addRows(sums, valuesOf(x), valuesOf(segmentIds), sums.length / numSegments);
  return backend.makeTensorInfo(shape, x.dtype, sums);
}
