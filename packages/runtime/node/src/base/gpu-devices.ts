/**
 * Finds the GPUs that this node offers, and determines what a process sees of them. The head leases them by their index
 * in the list.
 *
 * The node's own CUDA_VISIBLE_DEVICES (as Slurm sets it: indices or UUIDs) says which devices are the node's. Without
 * it they are all that nvidia-smi lists.
 */
import { execFile } from "node:child_process";
import { PalimpsestError } from "@palimpsest/wire";

const nvidiaProgram = "nvidia-smi";
const nvidiaTimeoutMs = 5_000;

/** The variable by which CUDA chooses devices. */
export const visibleDevicesName = "CUDA_VISIBLE_DEVICES";

/**
 * Returns the devices to offer, as CUDA names them.
 * @param visible the node's own CUDA_VISIBLE_DEVICES
 * @param count how many to offer; by default all
 * @throws {PalimpsestError} CONFIG_INVALID if it is more than the node may use
 */
export async function findGpus(
  visible: string | undefined,
  count: number | undefined,
): Promise<readonly string[]> {
  if (count === 0) return [];
  return chooseDevices(visible, await countGpus(), count);
}

/** Returns the devices to offer on a machine on which nvidia-smi lists that many GPUs. */
export function chooseDevices(
  visible: string | undefined,
  listed: number,
  count: number | undefined,
): readonly string[] {
  const own = visible === undefined ? undefined : devicesOf(visible);
  // A machine without nvidia-smi has no GPUs, whatever a variable says, unless the configuration sets a number.
  const found = Array.from({ length: listed }, (_, index) => String(index));
  const usable = listed === 0 && count === undefined ? [] : (own ?? found);
  if (count === undefined) return usable;
  if (own !== undefined && count > own.length) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `gpus is ${count}, but ${visibleDevicesName}=${JSON.stringify(visible)} leaves the node ${own.length}: offer at most that many`,
    );
  }
  return own?.slice(0, count) ?? Array.from({ length: count }, (_, index) => String(index));
}

/** Returns the CUDA_VISIBLE_DEVICES of a process with these GPUs of the list; "" hides them all. */
export function visibleTo(devices: readonly string[], gpuIds: readonly number[]): string {
  return gpuIds.flatMap((id) => devices[id] ?? []).join(",");
}

/** Returns the entries as CUDA reads them: everything after one that is not a device is ignored. */
function devicesOf(visible: string): readonly string[] {
  const devices: string[] = [];
  for (const entry of visible.split(",").map((text) => text.trim())) {
    if (!/^(\d+|(GPU|MIG)-\S+)$/.test(entry) || devices.includes(entry)) break;
    devices.push(entry);
  }
  return devices;
}

/** Returns the number of GPUs that nvidia-smi lists, which ignores CUDA_VISIBLE_DEVICES; 0 without nvidia-smi. */
function countGpus(): Promise<number> {
  return new Promise((resolve) => {
    execFile(nvidiaProgram, ["--list-gpus"], { timeout: nvidiaTimeoutMs }, (error, stdout) => {
      resolve(error ? 0 : stdout.split("\n").filter((line) => line.startsWith("GPU ")).length);
    });
  });
}
