/**
 * Job: the drivers of jobs on this node: one process each, its output captured, its end told.
 * Non-job: the status of jobs (the head does).
 *
 * V1. A job's driver is started at most once on this node.
 * V2. Its end is told after all of its output.
 * V3. Its output is kept until the head has it, also after its end.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { BundleCache } from "./bundle-cache.js";
import { DriverLog } from "./driver-log.js";
import { LineSplitter } from "./lines.js";
import { certificateOf, endSentence, type ProcessEnd, SupervisedProcess } from "./supervised-process.js";

/** From src and from dist alike: processes run built code. */
const guard = fileURLToPath(new URL("../dist/driver-guard.js", import.meta.url));
const maxEndedDrivers = 100;

export interface DriversDeps {
  readonly nodeId: string;
  readonly headAddress: string;
  readonly token: string;
  /** The palimpsest command: arguments of node. */
  readonly command: readonly string[];
  readonly bundles: BundleCache;
  /** Environment of every driver; PALIMPSEST_ADDRESS, _TOKEN and _JOB_ID are added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workDir: string;
  readonly send: (message: proto.NodeMessage.$Properties) => void;
  readonly logger: Logger;
}

interface Driver {
  readonly jobId: string;
  readonly log: DriverLog;
  process: SupervisedProcess | undefined;
  child: ChildProcess | undefined;
  cancelled: string | undefined;
  exited: proto.DriverExited.$Properties | undefined;
  done: Promise<void>;
}

export class Drivers {
  readonly #deps: DriversDeps;
  readonly #drivers = new Map<string, Driver>();
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
    const log = new DriverLog(
      jobId,
      (driverOutput) => this.#deps.send({ driverOutput }),
      (full) => setReading(driver.child, !full),
    );
    const driver: Driver = {
      jobId,
      log,
      process: undefined,
      child: undefined,
      cancelled: undefined,
      exited: undefined,
      done: Promise.resolve(),
    };
    this.#drivers.set(jobId, driver);
    driver.done = this.#run(driver, order);
  }

  stop(jobId: string, graceMs: number, reason: string): void {
    const driver = this.#drivers.get(jobId);
    if (!driver || driver.exited) return;
    if (driver.process) void driver.process.stop(graceMs, reason);
    else driver.cancelled ??= reason;
  }

  acknowledge(jobId: string, offsetBytes: number): void {
    const driver = this.#drivers.get(jobId);
    driver?.log.acknowledge(offsetBytes);
    this.#forget();
  }

  /** After a break of the link: output and ends that the head may have missed. */
  replay(): void {
    for (const driver of this.#drivers.values()) {
      if (driver.process && !driver.exited) this.#tellStarted(driver.jobId, driver.process.pid);
      driver.log.replay();
      if (driver.exited) this.#deps.send({ driverExited: driver.exited });
    }
  }

  async close(graceMs: number, reason: string): Promise<void> {
    this.#closed = true;
    const drivers = [...this.#drivers.values()];
    for (const { jobId } of drivers) this.stop(jobId, graceMs, reason);
    await Promise.all(drivers.map((driver) => driver.done));
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
    driver.exited = { jobId, certificate };
    logger.info({ jobId, reason: certificate.reason, exitCode: certificate.exitCode }, "driver ended");
    this.#deps.send({ driverExited: driver.exited });
    this.#forget();
  }

  async #live(
    driver: Driver,
    order: proto.StartDriver.$Properties,
  ): Promise<{ readonly end: ProcessEnd; readonly pid: number; readonly stopReason: string | undefined }> {
    const args = await this.#arguments(order);
    if (driver.cancelled !== undefined) throw new PalimpsestError("CANCELLED", driver.cancelled);
    const { headAddress, token, environment, workDir, logger } = this.#deps;
    const { jobId, log } = driver;
    const child = spawn(process.execPath, ["--enable-source-maps", "--import", guard, ...args], {
      cwd: workDir,
      env: {
        ...environment,
        ...order.environment,
        PALIMPSEST_ADDRESS: headAddress,
        PALIMPSEST_TOKEN: token,
        PALIMPSEST_JOB_ID: jobId,
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const supervised = new SupervisedProcess(child);
    driver.child = child;
    driver.process = supervised;
    const splitters = [child.stdout, child.stderr].map((source) => {
      const splitter = new LineSplitter();
      source?.on("data", (chunk: Buffer) => log.append(splitter.push(chunk)));
      return splitter;
    });
    if (supervised.pid > 0) {
      logger.info({ jobId, pid: supervised.pid }, "driver started");
      this.#tellStarted(jobId, supervised.pid);
    }
    const end = await supervised.ended;
    for (const splitter of splitters) log.append(splitter.end());
    return { end, pid: supervised.pid, stopReason: supervised.stopReason };
  }

  async #arguments(order: proto.StartDriver.$Properties): Promise<string[]> {
    const [kind, ...argv] = order.argv ?? [];
    const sha256 = order.bundle ?? "";
    const { bundles, command } = this.#deps;
    if (kind === "program") return [await bundles.fileOf(sha256, "program"), ...argv];
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
    return [...command, "train", await bundles.fileOf(sha256, "recipe"), ...argv];
  }

  #tellStarted(jobId: string, pid: number): void {
    this.#deps.send({ driverStarted: { jobId, pid } });
  }

  /** Ended drivers whose log the head has are kept a while, so that a repeated order is known (V1). */
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
