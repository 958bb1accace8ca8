import { exactQuantity } from "./resources.js";

/**
 * The free share of each GPU of a node, from 0 to 1. The index in the list is the GPU's id.
 * A lease of less than one GPU is placed on one device; a larger one takes whole devices. Requests above one are whole
 * numbers (`requestProblem` refuses others).
 */
export type GpuShares = readonly number[];

/** The shares of a node's GPUs when nothing is leased. */
export function wholeGpus(count: number): GpuShares {
  return Array.from({ length: Math.floor(count) }, () => 1);
}

/**
 * Returns the ids of the devices for a lease of `amount`; undefined when it does not fit. A fraction takes the fullest
 * device that has room for it, so that other devices stay whole.
 */
export function chooseGpus(free: GpuShares, amount: number): readonly number[] | undefined {
  if (amount <= 0) return [];
  if (amount < 1) {
    let best: number | undefined;
    for (const [id, share] of free.entries()) {
      if (share >= amount && (best === undefined || share < (free[best] ?? 0))) best = id;
    }
    return best === undefined ? undefined : [best];
  }
  const whole = [...free.keys()].filter((id) => free[id] === 1).slice(0, amount);
  return whole.length === amount ? whole : undefined;
}

/** Returns whether `chooseGpus` would find devices. */
export function gpusFit(free: GpuShares, amount: number): boolean {
  if (amount <= 0) return true;
  if (amount < 1) return free.some((share) => share >= amount);
  let whole = 0;
  for (const share of free) if (share === 1) whole += 1;
  return whole >= amount;
}

/** Returns the shares after a lease on these devices. They may go below zero, so the caller asks `chooseGpus` first. */
export function takeGpus(free: GpuShares, ids: readonly number[], amount: number): GpuShares {
  return change(free, ids, -Math.min(1, amount));
}

/** Returns the shares after that lease has ended. */
export function giveBackGpus(free: GpuShares, ids: readonly number[], amount: number): GpuShares {
  return change(free, ids, Math.min(1, amount));
}

function change(free: GpuShares, ids: readonly number[], share: number): GpuShares {
  if (ids.length === 0) return free;
  return free.map((before, id) => (ids.includes(id) ? exactQuantity(before + share) : before));
}
