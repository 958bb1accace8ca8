import { gpuCapabilities } from "../base/gpu-device.js";

/** TF32 came with compute capability 8.0, NVIDIA's Ampere. */
const FIRST_CAPABILITY = 8;

/**
 * Returns whether float32 matrix products on this machine's GPUs round their inputs to TF32, with 10 bits of mantissa. TensorFlow
 * allows it wherever the GPU supports it, and libtensorflow's C interface has no switch; only the variable
 * `NVIDIA_TF32_OVERRIDE=0`, which NVIDIA's libraries read as they load, disables it.
 * @param override that variable, as it was when libtensorflow was loaded
 * @param capabilities compute capabilities of the GPUs; empty if nvidia-smi does not report them, in which case TF32 is
 *   assumed, because claiming more precision than there is would be the worse mistake
 */
export function roundsToTensorFloat32(
  override: string | undefined,
  capabilities: readonly number[] = gpuCapabilities(),
): boolean {
  if (override === "0") return false;
  return capabilities.length === 0 || capabilities.some((capability) => capability >= FIRST_CAPABILITY);
}
