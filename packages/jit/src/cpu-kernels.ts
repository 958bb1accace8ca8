import { tf } from "./tf.js";

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

let registered = false;

/** The stock TensorScatterUpdate of tfjs's cpu backend overwrites its input, so it is given a copy. */
export function registerCpuKernels(): void {
  const stock = tf.getKernel("TensorScatterUpdate", "cpu");
  if (registered || stock === undefined) return;
  registered = true;
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
