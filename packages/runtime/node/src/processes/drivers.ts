/**
 * The drivers of jobs on this node: one process each, with its output captured and its end reported.
 *
 * Responsibility: starting and stopping them on the head's orders.
 * Not responsible for: the status of jobs (the head decides it).
 *
 * Invariants:
 * - DRIVER-1. A job's driver is started at most once on this node, and not at all after its stop.
 * - DRIVER-2. Its end is reported with the size of its whole output, so that the head knows how much is still to
 *   come.
 * - DRIVER-3. Its output is kept until the head has it, also after its end.
 */
import { rm } from "node:fs/promises";
import type { Clock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { DriverLog } from "./driver-log.js";
import {
  type DriverProcess,
  type DriverProcessDeps,
  driverFolder,
  type PrepareDriver,
  prepareDriver,
} from "./driver-process.js";
import { OutputStream } from "./output-stream.js";
import { certificateOf, endSentence, type ProcessEnd } from "./supervised-process.js";

const maxEndedDrivers = 100;
/** The maximum number of remembered stops for jobs that this node was not ordered to start yet. */
const maxEarlyStops = 1_000;
/** The milliseconds for which the node delays its own end until the head has the output. */
const lastOutputMs = 2_000;

export interface DriversDeps extends DriverProcessDeps {
  readonly nodeId: string;
  /** Returns a channel to the head that carries output only. */
  readonly outputPeer: () => Peer;
  readonly clock: Clock;
  readonly send: (message: proto.NodeMessage.$Properties) => void;
  readonly logger: Logger;
  /** Prepares the process of a driver. Default: a Node.js process. */
  readonly prepare?: PrepareDriver | undefined;
}

interface Driver {
  readonly jobId: string;
  readonly running: proto.RunningDriver.$Properties;
  readonly log: DriverLog;
  readonly output: OutputStream;
  /** Aborted by a stop that comes before the process exists. */
  readonly abort: AbortController;
  process: DriverProcess | undefined;
  cancelled: string | undefined;
  exited: proto.DriverExited.$Properties | undefined;
  done: Promise<void>;
}

export class Drivers {
  readonly #deps: DriversDeps;
  readonly #prepare: PrepareDriver;
  readonly #drivers = new Map<string, Driver>();
  /** Jobs that must not be started here because they were stopped before, and the reasons. */
  readonly #earlyStops = new Map<string, string>();
  #onProgress: () => void = () => undefined;
  #closed = false;

  constructor(deps: DriversDeps) {
    this.#deps = deps;
    this.#prepare = deps.prepare ?? prepareDriver(deps);
  }

  /** Lists the jobs whose driver is running or starting, for the head. */
  running(): proto.RunningDriver.$Properties[] {
    return [...this.#drivers.values()].filter(({ exited }) => !exited).map(({ running }) => running);
  }

  /** The processes of the drivers that run, by the ids of their jobs. */
  pids(): { readonly id: string; readonly pid: number }[] {
    return [...this.#drivers.values()].flatMap(({ jobId, exited, process }) =>
      exited || process === undefined ? [] : [{ id: jobId, pid: process.pid }],
    );
  }

  start(order: proto.StartDriver.$Properties): void {
    const jobId = order.jobId ?? "";
    if (this.#closed || this.#drivers.has(jobId)) return;
    const { nodeId, outputPeer, clock, logger } = this.#deps;
    const log = new DriverLog((full) => driver.process?.setReading(!full));
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
      running: { jobId, resources: order.resources ?? null, gpuIds: [...(order.gpuIds ?? [])] },
      log,
      output,
      abort: new AbortController(),
      process: undefined,
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

  /** Repeats what the head may have missed, after a break of the link. Output has its own stream. */
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

  /** Waits until the head has all output, for at most lastOutputMs. */
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

  #append(driver: Driver, bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    driver.log.append(bytes);
    driver.output.push();
  }

  /** Remembers a stop that overtook its start, because the head sends the two in different turns. */
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
    const begin = await this.#prepare(order, driver.abort.signal);
    if (driver.cancelled !== undefined) throw new PalimpsestError("CANCELLED", driver.cancelled);
    const { jobId } = driver;
    const driverProcess = begin((bytes) => this.#append(driver, bytes));
    driver.process = driverProcess;
    if (driverProcess.pid > 0) {
      this.#deps.logger.info({ jobId, pid: driverProcess.pid }, "driver started");
      this.#tellStarted(jobId, driverProcess.pid);
    }
    const end = await driverProcess.ended;
    return { end, pid: driverProcess.pid, stopReason: driverProcess.stopReason };
  }

  async #removeFolder(order: proto.StartDriver.$Properties): Promise<void> {
    if (!order.workingDir) return;
    const folder = driverFolder(this.#deps.workDir, order.jobId ?? "");
    await rm(folder, { recursive: true, force: true }).catch((reason: unknown) => {
      this.#deps.logger.warn({ err: reason, jobId: order.jobId }, "working directory of a job not removed");
    });
  }

  #tellStarted(jobId: string, pid: number): void {
    this.#deps.send({ driverStarted: { jobId, pid } });
  }

  /** Ended drivers whose log the head has are kept for a while, so that a repeated order is recognized (DRIVER-1). */
  #forget(): void {
    const ended = [...this.#drivers.values()].filter((driver) => driver.exited && driver.log.acknowledged);
    for (const { jobId } of ended.slice(0, Math.max(0, ended.length - maxEndedDrivers))) {
      this.#drivers.delete(jobId);
    }
  }
}
