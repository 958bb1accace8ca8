/**
 * The drivers of jobs on this node: one process each, its output captured, its end told.
 *
 * Responsibility: starting and stopping them as the head says.
 * Not responsible for: the status of jobs (the head decides it).
 *
 * Invariants:
 * - DRIVER-1. A job's driver is started at most once on this node, and not at all after its stop.
 * - DRIVER-2. Its end is told with the size of its whole output, so that the head knows what is still to come.
 * - DRIVER-3. Its output is kept until the head has it, also after its end.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "@palimpsest/telemetry";
import { type Clock, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { BundleCache } from "./bundle-cache.js";
import { DriverLog } from "./driver-log.js";
import { visibleDevicesName, visibleTo } from "./gpu-devices.js";
import { LineSplitter } from "./lines.js";
import { OutputStream } from "./output-stream.js";
import { certificateOf, endSentence, type ProcessEnd, SupervisedProcess } from "./supervised-process.js";
import { unpackWorkingDir } from "./working-dir.js";

/** From src and from dist alike: processes run built code. */
const guard = fileURLToPath(new URL("../dist/driver-guard.js", import.meta.url));
const maxEndedDrivers = 100;
/** Stops of jobs that this node was not told to start yet. */
const maxEarlyStops = 1_000;
/** How long the node waits with its own end until the head has the output. */
const lastOutputMs = 2_000;

export interface DriversDeps {
  readonly nodeId: string;
  /** Addresses of all heads, separated by commas. */
  readonly headAddresses: () => string;
  /** File with the token of the role "driver". */
  readonly tokenFile: string;
  /** Folder with the certificate of jobs; empty without TLS. */
  readonly tls: string;
  /** The palimpsest command: arguments of node. */
  readonly command: readonly string[];
  readonly bundles: BundleCache;
  /** Environment of every driver; PALIMPSEST_ADDRESS, _TOKEN_FILE, _TLS and _JOB_ID are added. */
  readonly environment: Readonly<Record<string, string>>;
  /** The GPUs of this node, as CUDA names them. */
  readonly gpus: readonly string[];
  readonly workDir: string;
  /** A channel to the head for output alone. */
  readonly outputPeer: () => Peer;
  readonly clock: Clock;
  readonly send: (message: proto.NodeMessage.$Properties) => void;
  readonly logger: Logger;
}

interface Driver {
  readonly jobId: string;
  readonly log: DriverLog;
  readonly output: OutputStream;
  /** Aborts with a stop before the process is there. */
  readonly abort: AbortController;
  process: SupervisedProcess | undefined;
  child: ChildProcess | undefined;
  cancelled: string | undefined;
  exited: proto.DriverExited.$Properties | undefined;
  done: Promise<void>;
}

export class Drivers {
  readonly #deps: DriversDeps;
  readonly #drivers = new Map<string, Driver>();
  /** Why jobs that were never started here must not be. */
  readonly #earlyStops = new Map<string, string>();
  #onProgress: () => void = () => undefined;
  #closed = false;

  constructor(deps: DriversDeps) {
    this.#deps = deps;
  }

  /** Jobs whose driver runs. */
  jobIds(): string[] {
    return [...this.#drivers.values()].filter((driver) => !driver.exited).map((driver) => driver.jobId);
  }

  start(order: proto.StartDriver.$Properties): void {
    const jobId = order.jobId ?? "";
    if (this.#closed || this.#drivers.has(jobId)) return;
    const { nodeId, outputPeer, clock, logger } = this.#deps;
    const log = new DriverLog((full) => setReading(driver.child, !full));
    const output = new OutputStream({
      jobId,
      nodeId,
      log,
      head: outputPeer,
      clock,
      logger,
      onProgress: () => this.#progressed(driver),
    });
    const driver: Driver = {
      jobId,
      log,
      output,
      abort: new AbortController(),
      process: undefined,
      child: undefined,
      cancelled: this.#earlyStops.get(jobId),
      exited: undefined,
      done: Promise.resolve(),
    };
    this.#earlyStops.delete(jobId);
    this.#drivers.set(jobId, driver);
    driver.done = this.#run(driver, order);
  }

  stop(jobId: string, graceMs: number, reason: string): void {
    const driver = this.#drivers.get(jobId);
    if (!driver) {
      this.#rememberStop(jobId, reason);
      return;
    }
    if (driver.exited) return;
    if (driver.process) void driver.process.stop(graceMs, reason);
    else {
      driver.cancelled ??= reason;
      driver.abort.abort(new PalimpsestError("CANCELLED", reason));
    }
  }

  /** After a break of the link: what the head may have missed. Output has its own stream. */
  replay(): void {
    for (const driver of this.#drivers.values()) {
      if (driver.process && !driver.exited) this.#tellStarted(driver.jobId, driver.process.pid);
      if (driver.exited) this.#deps.send({ driverExited: driver.exited });
    }
  }

  async close(graceMs: number, reason: string): Promise<void> {
    this.#closed = true;
    const drivers = [...this.#drivers.values()];
    for (const { jobId } of drivers) this.stop(jobId, graceMs, reason);
    await Promise.all(drivers.map((driver) => driver.done));
    await this.#lastOutput();
    for (const { output } of drivers) output.close();
  }

  /** Waits until the head has all output, at most lastOutputMs. */
  #lastOutput(): Promise<void> {
    const waiting = () => [...this.#drivers.values()].some(({ log }) => !log.acknowledged);
    if (!waiting()) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(lastOutputMs, resolve);
      this.#onProgress = () => {
        if (waiting()) return;
        cancel();
        resolve();
      };
    });
  }

  #progressed(driver: Driver): void {
    if (driver.exited && driver.log.acknowledged) driver.output.close();
    this.#forget();
    this.#onProgress();
  }

  #append(driver: Driver, text: string): void {
    if (text === "") return;
    driver.log.append(text);
    driver.output.push();
  }

  /** A stop may overtake its start: the two come from different turns of the head. */
  #rememberStop(jobId: string, reason: string): void {
    this.#earlyStops.set(jobId, reason);
    const [oldest] = this.#earlyStops.keys();
    if (this.#earlyStops.size > maxEarlyStops && oldest !== undefined) this.#earlyStops.delete(oldest);
  }

  async #run(driver: Driver, order: proto.StartDriver.$Properties): Promise<void> {
    const { nodeId, logger } = this.#deps;
    const { jobId } = driver;
    let certificate: proto.DeathCertificate.$Properties;
    try {
      const { end, pid, stopReason } = await this.#live(driver, order);
      const reason = stopReason ?? endSentence(end);
      certificate = certificateOf(end, { reason, nodeId, ownerId: "", pid });
    } catch (reason) {
      const now = Date.now();
      const { rawMessage } = PalimpsestError.from(reason);
      certificate = { reason: rawMessage, nodeId, diedAtMs: now, lastHeartbeatMs: now };
    }
    await this.#removeFolder(order);
    driver.exited = { jobId, certificate, outputBytes: driver.log.endBytes };
    logger.info({ jobId, reason: certificate.reason, exitCode: certificate.exitCode }, "driver ended");
    this.#deps.send({ driverExited: driver.exited });
    this.#progressed(driver);
  }

  async #live(
    driver: Driver,
    order: proto.StartDriver.$Properties,
  ): Promise<{ readonly end: ProcessEnd; readonly pid: number; readonly stopReason: string | undefined }> {
    if (driver.cancelled !== undefined) throw new PalimpsestError("CANCELLED", driver.cancelled);
    const args = await this.#arguments(order, driver.abort.signal);
    const cwd = await this.#folderOf(order, driver.abort.signal);
    if (driver.cancelled !== undefined) throw new PalimpsestError("CANCELLED", driver.cancelled);
    const { headAddresses, tokenFile, tls, environment, gpus, logger } = this.#deps;
    const { jobId } = driver;
    const child = spawn(process.execPath, ["--enable-source-maps", "--import", guard, ...args], {
      cwd,
      env: {
        ...environment,
        ...order.environment,
        PALIMPSEST_ADDRESS: headAddresses(),
        PALIMPSEST_TOKEN_FILE: tokenFile,
        ...(tls ? { PALIMPSEST_TLS: tls } : {}),
        PALIMPSEST_JOB_ID: jobId,
        [visibleDevicesName]: visibleTo(gpus, order.gpuIds ?? []),
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A process group of its own, so that what it starts ends with it.
      detached: true,
    });
    const supervised = new SupervisedProcess(child);
    // What a process that has ended left in its pipes is little, and nobody waits for it any more.
    child.once("exit", () => setReading(child, true));
    driver.child = child;
    driver.process = supervised;
    const splitters = [child.stdout, child.stderr].map((source) => {
      const splitter = new LineSplitter();
      source?.on("data", (chunk: Buffer) => this.#append(driver, splitter.push(chunk)));
      return splitter;
    });
    if (supervised.pid > 0) {
      logger.info({ jobId, pid: supervised.pid }, "driver started");
      this.#tellStarted(jobId, supervised.pid);
    }
    const end = await supervised.ended;
    for (const splitter of splitters) this.#append(driver, splitter.end());
    return { end, pid: supervised.pid, stopReason: supervised.stopReason };
  }

  async #arguments(order: proto.StartDriver.$Properties, signal: AbortSignal): Promise<string[]> {
    const [kind, ...argv] = order.argv ?? [];
    const sha256 = order.bundle ?? "";
    const { bundles, command } = this.#deps;
    if (kind === "program") return [await bundles.fileOf(sha256, "program", signal), ...argv];
    if (kind !== "recipe") {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `argv[0] is ${JSON.stringify(kind)}, not "recipe" or "program"`,
      );
    }
    if (command.length === 0) {
      throw new PalimpsestError(
        "CONFIG_INVALID",
        "this node knows no palimpsest command (driverCommand is empty); submit a program, or start the node by the CLI",
      );
    }
    return [...command, "train", await bundles.fileOf(sha256, "recipe", signal), ...argv];
  }

  /** The folder that the driver runs in: its own where one was sent, else one that the node's jobs share. */
  async #folderOf(order: proto.StartDriver.$Properties, signal: AbortSignal): Promise<string> {
    const { workDir, bundles } = this.#deps;
    if (!order.workingDir) return workDir;
    const folder = this.#ownFolder(order.jobId ?? "");
    await unpackWorkingDir(await bundles.fileOf(order.workingDir, "folder", signal), folder);
    return folder;
  }

  #ownFolder(jobId: string): string {
    return join(this.#deps.workDir, "jobs", jobId);
  }

  async #removeFolder(order: proto.StartDriver.$Properties): Promise<void> {
    if (!order.workingDir) return;
    await rm(this.#ownFolder(order.jobId ?? ""), { recursive: true, force: true }).catch(
      (reason: unknown) => {
        this.#deps.logger.warn({ err: reason, jobId: order.jobId }, "working directory of a job not removed");
      },
    );
  }

  #tellStarted(jobId: string, pid: number): void {
    this.#deps.send({ driverStarted: { jobId, pid } });
  }

  /** Ended drivers whose log the head has are kept a while, so that a repeated order is known (DRIVER-1). */
  #forget(): void {
    const ended = [...this.#drivers.values()].filter((driver) => driver.exited && driver.log.acknowledged);
    for (const { jobId } of ended.slice(0, Math.max(0, ended.length - maxEndedDrivers))) {
      this.#drivers.delete(jobId);
    }
  }
}

function setReading(child: ChildProcess | undefined, reading: boolean): void {
  for (const source of [child?.stdout, child?.stderr]) {
    if (reading) source?.resume();
    else source?.pause();
  }
}
