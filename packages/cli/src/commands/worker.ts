import type { LogLevel } from "@palimpsest/telemetry";
import { defaultDataDir } from "@palimpsest/wire/local-head";
import type { Command } from "commander";
import { absolutePath } from "../absolute-path.js";
import { bundledModules, bundledProgram, workerSnapshot } from "../bundled-programs.js";
import { cliEntry } from "../cli-entry.js";
import { type ConnectionOptions, resolveConnection, withConnection } from "../connection.js";
import { printableLine } from "../display/printable.js";
import { parseAmount, parseKeyValues, parseQuantities } from "../key-values.js";
import { logLevelOption } from "../log-level.js";
import { type StopFlags, stopSignal, untilStdinEndsOption } from "../signals.js";
import { version } from "../version.js";

interface WorkerOptions extends ConnectionOptions, StopFlags {
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
  readonly insecure?: boolean;
  readonly passEnv?: string;
  readonly objectAdoption: boolean;
  readonly taskEvents: boolean;
  readonly tracesEndpoint?: string;
  readonly logLevel: LogLevel;
}

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
    .option("--host <address>", "address at which callers reach this machine", "127.0.0.1")
    .option(
      "--node-dir <folder>",
      "folder of logs, bundles and objects",
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
    .addOption(untilStdinEndsOption())
    .addOption(logLevelOption())
    .action(async (options: WorkerOptions) => {
      const [{ NodeManager }, { createLogger }] = await Promise.all([
        import("@palimpsest/node"),
        import("@palimpsest/telemetry"),
      ]);
      const { address, token, tls } = resolveConnection(options, { mayHaveEnded: true });
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
          logger: createLogger({ component: "node", level: options.logLevel }),
          environment: process.env,
        },
      );
      const stop = stopSignal(options);
      stop.addEventListener("abort", () => void node.close());
      // The line is printed when the head has registered the node, so that its readers can use the node at once.
      const joined = () => void process.stdout.write(`node ${node.nodeId} joined ${address}\n`);
      // When the registration fails, the node ends for the same reason, which is reported below.
      await node.registered().then(joined, () => undefined);
      const end = await node.ended;
      process.stdout.write(`node ${node.nodeId} ended: ${printableLine(end.reason)}\n`);
      if (end.error) throw end.error;
    });
}
