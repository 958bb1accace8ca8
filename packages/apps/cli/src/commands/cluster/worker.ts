import { makeFolder } from "@palimpsest/std/files";
import { PalimpsestError, plainHost, tlsMismatch } from "@palimpsest/wire";
import { lockFolder } from "@palimpsest/wire/folder-lock";
import { defaultDataDir } from "@palimpsest/wire/local-head";
import type { Command } from "commander";
import { z } from "zod";
import { type ConnectionOptions, resolveConnection, withConnection } from "../../cluster/connection.js";
import { JsonOutput } from "../../display/json-output.js";
import { printableLine } from "../../display/printable.js";
import { absolutePath } from "../../input/absolute-path.js";
import { exitCodes } from "../../input/exit-codes.js";
import {
  parseAmount,
  parseKeyValues,
  parsePort,
  parsePortRange,
  parseQuantities,
} from "../../input/key-values.js";
import { type LogFlags, logFormat, logFormatOption, logLevelOption } from "../../input/log-level.js";
import { exitSoon, type StopFlags, stopSignal, untilStdinEndsOption } from "../../input/signals.js";
import { bundledModules, bundledProgram, workerSnapshot } from "../../installation/bundled-programs.js";
import { cliEntry } from "../../installation/cli-entry.js";
import { version } from "../../installation/version.js";

/** Milliseconds after which a worker that has not joined says that it waits. */
const tellsAfterMs = 3_000;

interface WorkerOptions extends ConnectionOptions, StopFlags, LogFlags {
  readonly cpus?: number;
  readonly gpus?: number;
  readonly memory?: number;
  readonly resources?: Record<string, number>;
  readonly objectStoreDir?: string;
  readonly warmProcesses?: number;
  readonly warmProcessesMost?: number;
  readonly warmProcessIdle?: number;
  readonly labels?: Record<string, string>;
  readonly host: string;
  readonly nodeDir: string;
  readonly objectsPort: number;
  readonly metricsPort: number;
  readonly actorPorts?: { readonly first: number; readonly last: number };
  readonly insecure?: boolean;
  readonly passEnv?: string;
  readonly objectAdoption: boolean;
  readonly taskEvents: boolean;
  readonly tracesEndpoint?: string;
  readonly json?: boolean;
}

const output = new JsonOutput(
  () =>
    z.discriminatedUnion("event", [
      z.strictObject({ event: z.literal("ready"), nodeId: z.string(), address: z.string() }),
      z.strictObject({ event: z.literal("ended"), nodeId: z.string(), reason: z.string() }),
    ]),
  { lines: true },
);

export function addWorker(program: Command): void {
  const worker = program.command("worker").description("commands for the machines of a cluster");
  withConnection(worker.command("join"))
    .description("adds this machine to a cluster and runs until it is stopped")
    .option("--cpus <count>", "CPUs to offer (default: all)", parseAmount)
    .option("--gpus <count>", "GPUs to offer (default: those that nvidia-smi lists)", parseAmount)
    .option(
      "--memory <bytes>",
      "memory to offer (default: all memory of the machine or its container)",
      parseAmount,
    )
    .option("--resources <name=amount,…>", "custom resources to offer", parseQuantities)
    .option(
      "--warm-processes <count>",
      "number of warm processes that always wait for actors; 0: none ever do (default: number of cores, at most 4)",
      parseAmount,
    )
    .option(
      "--warm-processes-most <count>",
      "number of warm processes to which recent demand may raise it (default: 16 per core)",
      parseAmount,
    )
    .option(
      "--warm-process-idle <seconds>",
      "how long those beyond --warm-processes wait after they were needed (default: 60)",
      parseAmount,
    )
    .option("--labels <name=value,…>", "labels of this node, for label conditions", parseKeyValues)
    .option("--host <address>", "address at which callers reach this machine", plainHost, "127.0.0.1")
    .option("--objects-port <port>", "port of the object service; 0: a free one", parsePort, 0)
    .option("--metrics-port <port>", "port of the Prometheus page; 0: a free one", parsePort, 0)
    .option(
      "--actor-ports <first-last>",
      "ports for actors and tasks, whose processes take two each (default: free ones)",
      parsePortRange,
    )
    .option(
      "--node-dir <folder>",
      "folder of logs, bundles and objects; each further worker of a machine needs one of its own",
      absolutePath,
      defaultDataDir("node"),
    )
    .option(
      "--object-store-dir <folder>",
      "folder of the object store; a tmpfs with huge pages is the fastest (default: /dev/shm if it has room)",
      absolutePath,
    )
    .option("--insecure", "listen beyond loopback without TLS, in a trusted network")
    .option(
      "--pass-env <name,…>",
      "variables that are passed to actors and jobs although they look like secrets; * for all",
    )
    .option(
      "--no-object-adoption",
      "transfer objects to and from other nodes of this machine over the network, as between machines",
    )
    .option(
      "--no-task-events",
      "do not report calls and tasks, so that they are missing in lists and timelines",
    )
    .option(
      "--traces-endpoint <url>",
      "address of the collector for OpenTelemetry spans of actors and jobs (OTLP over HTTP)",
    )
    .addOption(output.option())
    .addOption(untilStdinEndsOption())
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .action(async (options: WorkerOptions) => {
      const [{ NodeManager }, { createLogger }] = await Promise.all([
        import("@palimpsest/node"),
        import("@palimpsest/telemetry"),
      ]);
      const { address, token, tls } = resolveConnection(options, { mayHaveEnded: true });
      const logger = createLogger({ component: "node", level: options.logLevel, format: logFormat(options) });
      makeFolder(options.nodeDir, 0o700);
      const lock = await lockFolder(options.nodeDir, "node.lock", (reason) =>
        logger.warn({ err: reason }, "the node's folder cannot be locked: run no second worker on it"),
      );
      if (!("release" in lock)) {
        const holder = lock.heldBy === undefined ? "" : `, pid ${lock.heldBy}`;
        throw new PalimpsestError(
          "ALREADY_EXISTS",
          `--node-dir ${options.nodeDir} belongs to a worker that runs${holder}: give another --node-dir for a second worker of this machine, or stop that worker`,
        );
      }
      const node = await NodeManager.start(
        {
          headAddress: address,
          token,
          tls,
          insecure: options.insecure ?? false,
          passEnvironment: options.passEnv?.split(",") ?? [],
          version,
          listenHost: options.host,
          dataDir: options.nodeDir,
          objectsPort: options.objectsPort,
          metricsPort: options.metricsPort,
          ...(options.actorPorts === undefined ? {} : { actorPorts: options.actorPorts }),
          modulesFrom: cliEntry,
          bundledWorker: bundledProgram("worker"),
          workerSnapshot: workerSnapshot(),
          bundledModules: bundledModules(),
          driverCommand: [cliEntry],
          logLevel: options.logLevel,
          objectAdoption: options.objectAdoption,
          taskEvents: options.taskEvents,
          tracesEndpoint: options.tracesEndpoint ?? "",
          ...(options.cpus === undefined ? {} : { cpus: options.cpus }),
          ...(options.gpus === undefined ? {} : { gpus: options.gpus }),
          ...(options.memory === undefined ? {} : { memoryBytes: options.memory }),
          ...(options.objectStoreDir === undefined ? {} : { objectStoreDir: options.objectStoreDir }),
          ...(options.warmProcesses === undefined ? {} : { warmProcesses: options.warmProcesses }),
          ...(options.warmProcessesMost === undefined
            ? {}
            : { warmProcessesMost: options.warmProcessesMost }),
          ...(options.warmProcessIdle === undefined
            ? {}
            : { warmProcessIdleSeconds: options.warmProcessIdle }),
          resources: options.resources ?? {},
          labels: options.labels ?? {},
        },
        {
          logger,
          environment: process.env,
        },
      ).catch(async (reason: unknown) => {
        // The lock's socket would keep the process.
        await lock.release();
        throw reason;
      });
      const stop = stopSignal(options);
      stop.addEventListener("abort", () => void node.close());
      // The line is printed when the head has registered the node, so that its readers can use the node at once.
      const joined = () => {
        if (options.json) output.print({ event: "ready", nodeId: node.nodeId, address });
        else process.stdout.write(`node ${node.nodeId} joined ${address}\n`);
      };
      const waiting = setTimeout(
        () =>
          void tlsMismatch(address, tls !== "").then((why) =>
            process.stderr.write(
              `waiting for the head at ${address}, trying again until it answers${why && `: ${why}`}\n`,
            ),
          ),
        tellsAfterMs,
      );
      // When the registration fails, the node ends for the same reason, which is reported below.
      await node.registered().then(joined, () => undefined);
      clearTimeout(waiting);
      const end = await node.ended;
      await lock.release();
      if (options.json) output.print({ event: "ended", nodeId: node.nodeId, reason: end.reason });
      else process.stdout.write(`node ${node.nodeId} ended: ${printableLine(end.reason)}\n`);
      if (end.restart) process.exitCode = exitCodes.restart;
      exitSoon();
      if (end.error) throw end.error;
    });
}
