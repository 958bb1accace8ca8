import { gpuCapabilities } from "./gpu-device.js";

/** TF32 came with compute capability 8.0, NVIDIA's Ampere. */
const FIRST_CAPABILITY = 8;

/**
 * Whether float32 matrix products on this machine's GPUs round their inputs to TF32, with 10 bits of mantissa. TensorFlow
 * allows it wherever the GPU can, and libtensorflow's C interface has no switch; only the variable
 * `NVIDIA_TF32_OVERRIDE=0`, which NVIDIA's libraries read as they load, takes it away.
 * @param override that variable, as it was when libtensorflow was loaded
 * @param capabilities compute capabilities of the GPUs; none where nvidia-smi does not say, and then TF32 is assumed,
 *   because a claim of more digits than there are would be the worse mistake
 */
export function roundsToTensorFloat32(
  override: string | undefined,
  capabilities: readonly number[] = gpuCapabilities(),
): boolean {
  if (override === "0") return false;
  return capabilities.length === 0 || capabilities.some((capability) => capability >= FIRST_CAPABILITY);
}
