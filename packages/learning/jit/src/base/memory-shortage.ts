import { gpuFreeMemory } from "./gpu-device.js";

/** An allocation that TensorFlow could not make, as far as its message says. */
export interface MemoryShortage {
  readonly place: "gpu" | "host";
  /** Size of the allocation that failed; absent if the message does not say. */
  readonly requestedBytes?: number;
  /** Free memory of the device or machine outside this process's allocator; absent if unknown. */
  readonly freeBytes?: number;
}

/**
 * The wordings of TensorFlow, XLA and NVIDIA's libraries. RESOURCE_EXHAUSTED alone is not among them, because it is also
 * used for limits of a kernel, such as shared memory.
 */
const SHORTAGE =
  /\bOOM when allocating|out of memory|ran out of memory|failed to allocate (?:request|memory|\d)|CUDA_ERROR_OUT_OF_MEMORY|_ALLOC_FAILED/i;

/** Host allocators on a machine with a GPU: "cpu", "mklcpu", "gpu_host_bfc". */
const HOST_ALLOCATOR = /device:CPU:\d|allocator (?:mkl)?cpu|gpu_host_bfc/i;

const TYPE_BYTES: Readonly<Record<string, number>> = {
  bfloat16: 2,
  bool: 1,
  double: 8,
  float: 4,
  half: 2,
  int32: 4,
  int64: 8,
  uint8: 1,
};

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/**
 * Parses a message of TensorFlow.
 * @param gpu whether the computation ran on a GPU, which the message of a launch does not say
 * @returns undefined if the message is about something else
 */
export function memoryShortage(message: string, gpu: boolean): MemoryShortage | undefined {
  if (!SHORTAGE.test(message)) return undefined;
  const place = gpu && !HOST_ALLOCATOR.test(message) ? "gpu" : "host";
  const requestedBytes = requestedIn(message);
  const freeBytes = place === "gpu" ? gpuFreeMemory() : process.availableMemory();
  return {
    place,
    ...(requestedBytes === undefined ? {} : { requestedBytes }),
    ...(freeBytes === undefined ? {} : { freeBytes }),
  };
}

function requestedIn(message: string): number | undefined {
  const exact = /\((\d+)B\)|allocate (\d+) bytes/.exec(message);
  if (exact !== null) return Number(exact[1] ?? exact[2]);
  const tensor = /shape ?\[([\d,]*)\] and type (\w+)/.exec(message);
  const typeBytes = TYPE_BYTES[tensor?.[2] ?? ""];
  if (tensor !== null && typeBytes !== undefined) {
    const sizes = (tensor[1] ?? "").split(",").filter((size) => size !== "");
    return sizes.reduce((product, size) => product * Number(size), typeBytes);
  }
  const rounded = /allocate (?:request for )?([\d.]+)\s?([KMGT]iB|B)\b/.exec(message);
  const unit = UNITS[rounded?.[2] ?? ""];
  return rounded === null || unit === undefined ? undefined : Number(rounded[1]) * unit;
}

/** Describes the shortage for the one line of an error. */
export function describeShortage({ place, requestedBytes, freeBytes }: MemoryShortage): string {
  const device = place === "gpu" ? "the GPU" : "the machine";
  const asked = requestedBytes === undefined ? "" : ` for an allocation of ${bytesText(requestedBytes)}`;
  const free =
    freeBytes === undefined
      ? ""
      : `; ${bytesText(freeBytes)} are free${place === "gpu" ? " outside this process" : ""}`;
  return `${device} has no memory left${asked}${free}`;
}

export function bytesText(bytes: number): string {
  const [unit, size] = Object.entries(UNITS).findLast(([, least]) => bytes >= least) ?? ["B", 1];
  return `${unit === "B" ? bytes : (bytes / size).toFixed(1)} ${unit}`;
}
