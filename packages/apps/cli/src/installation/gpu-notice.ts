import { hidesGpus, machineGpus } from "@palimpsest/jit";
import type { Recipe } from "@palimpsest/trainer";

/**
 * Returns a notice if this machine has a GPU that a recipe does not use; otherwise undefined.
 */
export function gpuNotice(
  { learnerGpus, rollout, name }: Pick<Recipe, "learnerGpus" | "rollout" | "name">,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  gpus: readonly string[] = machineGpus(),
): string | undefined {
  if (gpus.length === 0 || hidesGpus(environment["CUDA_VISIBLE_DEVICES"])) return undefined;
  if (learnerGpus > 0 || rollout.gpus > 0) return undefined;
  return `this machine has ${gpus.join(", ")}, and ${name} runs on the CPU, because the recipe leases no GPU; set learnerGpus and rollout.gpus, such as 0.5 each`;
}
