/** The process of a job's driver: its arguments and environment, its folder, and its output. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { visibleDevicesName, visibleTo } from "../base/gpu-devices.js";
import { LineSplitter } from "../base/lines.js";
import type { BundleCache } from "../environments/bundle-cache.js";
import type { RuntimeEnvironments } from "../environments/runtime-environments.js";
import { unpackWorkingDir } from "../environments/working-dir.js";
import { type ProcessEnd, SupervisedProcess } from "./supervised-process.js";

/** Its place is the same from src and from dist, because processes run built code. It is a URL, as --import takes one. */
const guard = new URL("../../dist/processes/driver-guard.js", import.meta.url).href;

export interface DriverProcess {
  /** The process id; 0 if the process could not be started, in which case `ended` says why. */
  readonly pid: number;
  /** Resolves when the process has ended and all of its output was passed on. */
  readonly ended: Promise<ProcessEnd>;
  /** Why it was stopped; undefined if it was not. */
  readonly stopReason: string | undefined;
  stop(graceMs: number, reason: string): Promise<ProcessEnd>;
  /** Starts or stops reading its output. A process whose output is not read blocks when it keeps printing. */
  setReading(reading: boolean): void;
}

/** Fetches what the driver needs. The returned function starts its process at once. */
export type PrepareDriver = (
  order: proto.StartDriver.$Properties,
  signal: AbortSignal,
) => Promise<(onOutput: (bytes: Uint8Array) => void) => DriverProcess>;

export interface DriverProcessDeps {
  /** Addresses of all heads, separated by commas. */
  readonly headAddresses: () => string;
  /** The file with the token of role "driver". */
  readonly tokenFile: string;
  /** The folder with the certificate of jobs; empty without TLS. */
  readonly tls: string;
  /** The palimpsest command as arguments of node. */
  readonly command: readonly string[];
  readonly bundles: BundleCache;
  readonly environments: Pick<RuntimeEnvironments, "modulePath">;
  /** The environment of every driver. PALIMPSEST_ADDRESS, _TOKEN_FILE, _TLS and _JOB_ID, and TRACEPARENT, are added. */
  readonly environment: Readonly<Record<string, string>>;
  /** The GPUs of this node, as CUDA names them. */
  readonly gpus: readonly string[];
  readonly workDir: string;
}

/** Returns the folder of a job that brought its own working directory. */
export function driverFolder(workDir: string, jobId: string): string {
  return join(workDir, "jobs", jobId);
}

export function prepareDriver(deps: DriverProcessDeps): PrepareDriver {
  return async (order, signal) => {
    const uses: (() => void)[] = [];
    const release = () => {
      for (const end of uses.splice(0)) end();
    };
    try {
      const args = await argumentsOf(deps, order, uses, signal);
      const cwd = await folderOf(deps, order, signal);
      // A driver that was stopped during preparation is not started.
      if (signal.aborted) throw PalimpsestError.from(signal.reason, "CANCELLED");
      return (onOutput) => {
        const started = startDriver(deps, order, { args, cwd, onOutput });
        void started.ended.then(release);
        return started;
      };
    } catch (reason) {
      release();
      throw reason;
    }
  };
}

async function argumentsOf(
  { bundles, environments, command }: DriverProcessDeps,
  order: proto.StartDriver.$Properties,
  uses: (() => void)[],
  signal: AbortSignal,
): Promise<string[]> {
  const [kind, ...argv] = order.argv ?? [];
  const sha256 = order.bundle ?? "";
  if (kind === "program")
    return [await environments.modulePath(sha256, order.packages, uses, signal), ...argv];
  if (kind !== "recipe") {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `argv[0] is ${JSON.stringify(kind)}, not "recipe" or "program"`,
    );
  }
  if (command.length === 0) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "this node has no palimpsest command (driverCommand is empty); submit a program, or start the node by the CLI",
    );
  }
  return [...command, "train", await bundles.fileOf(sha256, "recipe", signal), ...argv];
}

/** Returns the driver's working directory: its own if one was sent, else one that the node's jobs share. */
async function folderOf(
  { workDir, bundles }: DriverProcessDeps,
  order: proto.StartDriver.$Properties,
  signal: AbortSignal,
): Promise<string> {
  if (!order.workingDir) return workDir;
  const folder = driverFolder(workDir, order.jobId ?? "");
  await unpackWorkingDir(await bundles.fileOf(order.workingDir, "folder", signal), folder);
  return folder;
}

function startDriver(
  deps: DriverProcessDeps,
  order: proto.StartDriver.$Properties,
  launch: {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly onOutput: (bytes: Uint8Array) => void;
  },
): DriverProcess {
  const { headAddresses, tokenFile, tls, environment, gpus } = deps;
  const { args, cwd, onOutput } = launch;
  const child = spawn(process.execPath, ["--enable-source-maps", "--import", guard, ...args], {
    cwd,
    env: {
      ...environment,
      ...order.environment,
      PALIMPSEST_ADDRESS: headAddresses(),
      PALIMPSEST_TOKEN_FILE: tokenFile,
      ...(tls ? { PALIMPSEST_TLS: tls } : {}),
      PALIMPSEST_JOB_ID: order.jobId ?? "",
      ...(order.traceparent ? { TRACEPARENT: order.traceparent } : {}),
      [visibleDevicesName]: visibleTo(gpus, order.gpuIds ?? []),
    },
    // The last one closes when this node is gone. It is not Node's own IPC channel, which user code would find and close.
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // The driver gets its own process group, so that everything it starts ends with it.
    detached: true,
  });
  const supervised = new SupervisedProcess(child);
  // Nothing is sent on it, and its end is no news: that of the process is.
  child.stdio[3]?.on("error", () => undefined);
  // A process that has ended left little in its pipes, so the rest is read regardless of the limit.
  child.once("exit", () => setReading(child, true));
  const splitters = [child.stdout, child.stderr].map((source) => {
    const splitter = new LineSplitter();
    source?.on("data", (chunk: Buffer) => onOutput(splitter.push(chunk)));
    return splitter;
  });
  const ended = supervised.ended.then((end) => {
    for (const splitter of splitters) onOutput(splitter.end());
    return end;
  });
  return {
    pid: supervised.pid,
    ended,
    get stopReason() {
      return supervised.stopReason;
    },
    stop: (graceMs, reason) => supervised.stop(graceMs, reason),
    setReading: (reading) => setReading(child, reading),
  };
}

function setReading(child: ChildProcess, reading: boolean): void {
  for (const source of [child.stdout, child.stderr]) {
    if (reading) source?.resume();
    else source?.pause();
  }
}
