import { dirname, join } from "node:path";
import type { Head } from "@palimpsest/head";
import { shellWord } from "@palimpsest/std";
import { plainHost } from "@palimpsest/wire";
import { defaultDataDir, headAddressPathOf, tokenPathOf } from "@palimpsest/wire/local-head";
import type { Command } from "commander";
import { z } from "zod";
import { autoscalerOf } from "../../cluster/autoscale.js";
import { pageCommand } from "../../cluster/metrics-page.js";
import { type RedisFlags, redisUrls, withRedis } from "../../cluster/redis-flags.js";
import { givenClusterToken } from "../../cluster/token-source.js";
import { JsonOutput } from "../../display/json-output.js";
import { printableLine } from "../../display/printable.js";
import { absolutePath } from "../../input/absolute-path.js";
import { exitCodes } from "../../input/exit-codes.js";
import { parsePort } from "../../input/key-values.js";
import { type LogFlags, logFormat, logFormatOption, logLevelOption } from "../../input/log-level.js";
import { exitSoon, type StopFlags, stopSignal, untilStdinEndsOption } from "../../input/signals.js";
import { yamlFile } from "../../input/yaml-file.js";
import { documentPath } from "../../installation/document-path.js";

interface HeadOptions extends RedisFlags, StopFlags, LogFlags {
  readonly host: string;
  readonly port: number;
  readonly advertise?: string;
  readonly cluster: string;
  readonly standby: boolean;
  readonly dataDir: string;
  readonly metricsPort: number;
  readonly dashboardPort: number;
  readonly dashboard: boolean;
  readonly runs: readonly string[];
  readonly token?: string;
  readonly readerTokenFile?: string;
  readonly tls?: string;
  readonly insecure?: boolean;
  readonly autoscale?: string;
  readonly quotas?: string;
  readonly json?: boolean;
}

const output = new JsonOutput(
  () =>
    z.discriminatedUnion("event", [
      z.strictObject({
        event: z.literal("ready"),
        clusterId: z.string(),
        address: z.string(),
        tokenFile: z.string(),
        addressFile: z.string(),
        metricsUrl: z.string(),
        dashboardUrl: z.string().describe("empty: it is off"),
        joinCommand: z.string().describe("adds a worker on this machine"),
      }),
      z.strictObject({
        event: z.literal("standby"),
        address: z.string(),
        leader: z.strictObject({ headId: z.string(), address: z.string(), epoch: z.int() }),
      }),
      z.strictObject({ event: z.literal("deposed"), address: z.string(), reason: z.string() }),
    ]),
  { lines: true },
);

/** Tells where the head is. The token itself is not printed, because terminal output is often logged. */
function tellReady(
  { clusterId, address, metricsUrl, dashboardUrl }: Head,
  { dataDir, json }: HeadOptions,
  tls: string,
): void {
  const tokenFile = tokenPathOf(dataDir);
  const addressFile = headAddressPathOf(dataDir);
  const join = joinCommand(dataDir, address, tls);
  if (json) {
    const where = { clusterId, address, tokenFile, addressFile, metricsUrl, dashboardUrl };
    output.print({ event: "ready", ...where, joinCommand: join });
    return;
  }
  process.stdout.write(
    [
      `head ${clusterId} listens on ${address}`,
      `token file      ${tokenFile}`,
      `address file    ${addressFile}`,
      `metrics         ${pageCommand(metricsUrl, { headDir: dataDir, tls })}`,
      `dashboard       ${dashboardUrl || "off"}`,
      `join a worker   ${join}`,
      "",
    ].join("\n"),
  );
}

export function addHead(program: Command): void {
  const head = program.command("head").description("the cluster's control plane");
  withRedis(head.command("start"))
    .description(
      "starts a head and runs until it is stopped; the same data folder continues the same cluster",
    )
    .option(
      "--host <address>",
      "address to listen on; any other than loopback is reachable from the network",
      plainHost,
      "127.0.0.1",
    )
    .option(
      "--port <port>",
      "port of the gRPC server; 0: the port of the last start, or a free one",
      parsePort,
      0,
    )
    .option("--advertise <host>", "name under which others reach this machine (default: --host)")
    .option("--cluster <name>", "name of the cluster; several clusters can share one Redis", "default")
    .option("--no-standby", "fail if another head leads the cluster, instead of waiting for its end")
    .option(
      "--data-dir <folder>",
      "folder of the token, logs, bundles and Redis's data",
      absolutePath,
      defaultDataDir("head"),
    )
    .option("--metrics-port <port>", "port of the Prometheus page; 0: a free one", parsePort, 0)
    .option(
      "--dashboard-port <port>",
      "port of the dashboard; 0: that of the last start, or a free one",
      parsePort,
      0,
    )
    .option("--no-dashboard", "disables the dashboard")
    .option("--runs <folder...>", "folders of runs, or folders that contain them, for the dashboard", [
      "runs",
    ])
    .option(
      "--token <token>",
      "the cluster's token; prefer PALIMPSEST_TOKEN or PALIMPSEST_TOKEN_FILE (default: these, else one that is created at the first start)",
    )
    .option(
      "--reader-token-file <file>",
      "also writes the token of readers to this file, readable by every user who can reach it: for a Prometheus in another container",
      absolutePath,
    )
    .option(
      "--tls <folder>",
      "folder with the head's ca.crt, tls.crt and tls.key, made by `palimpsest certs init` (default: PALIMPSEST_TLS)",
    )
    .option(
      "--autoscale <file>",
      `starts and ends nodes on demand as this YAML file configures (${documentPath("guides/autoscaling.md")})`,
    )
    .option(
      "--quotas <file>",
      `limits what namespaces and jobs lease, as this YAML file says (${documentPath("operations.md")})`,
    )
    .option("--insecure", "listen beyond loopback without TLS, in a trusted network")
    .addOption(output.option())
    .addOption(untilStdinEndsOption())
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .action(async (options: HeadOptions) => {
      const [{ Head, parseQuotas }, { createLogger }] = await Promise.all([
        import("@palimpsest/head"),
        import("@palimpsest/telemetry"),
      ]);
      const logger = createLogger({ component: "head", level: options.logLevel, format: logFormat(options) });
      const token = givenClusterToken(options.token, process.env);
      const tls = options.tls ?? process.env["PALIMPSEST_TLS"] ?? "";
      const { warnings, ...urls } = redisUrls(options, process.env);
      for (const warning of warnings) process.stderr.write(warning);
      const startAutoscaler = options.autoscale
        ? await autoscalerOf(options.autoscale, { dataDir: options.dataDir, cluster: options.cluster, tls })
        : undefined;
      const quotas = options.quotas
        ? parseQuotas(yamlFile("--quotas", options.quotas, "namespaces and jobs", "docs/operations.md"))
        : undefined;
      const stop = stopSignal(options);
      for (;;) {
        const started = await Head.start(
          {
            dataDir: options.dataDir,
            host: options.host,
            port: options.port,
            metricsPort: options.metricsPort,
            dashboardPort: options.dashboard ? options.dashboardPort : null,
            cluster: options.cluster,
            standby: options.standby,
            ...(options.advertise ? { advertiseHost: options.advertise } : {}),
            ...urls,
            ...(token ? { token } : {}),
            ...(options.readerTokenFile ? { readerTokenFile: options.readerTokenFile } : {}),
            ...(quotas ? { quotas } : {}),
            tls,
            insecure: options.insecure ?? false,
          },
          {
            logger,
            signal: stop,
            // The dashboard is loaded while the head is already serving, so that it does not delay the head's start.
            startDashboard: async (cluster, where) =>
              await (await import("@palimpsest/dashboard")).startDashboard(cluster, {
                ...where,
                runs: options.runs,
              }),
            ...(startAutoscaler ? { startAutoscaler } : {}),
            // The queue library takes longer to load than the rest of the head takes to start: it is loaded on first use.
            readQueueDepths: async (...from) =>
              await (await import("@palimpsest/trajectories")).queueDepths(...from),
            onStandby: ({ address, leader }) => {
              if (options.json) {
                output.print({
                  event: "standby",
                  address,
                  leader: { headId: leader.headId, address: leader.address, epoch: leader.epoch },
                });
                return;
              }
              process.stdout.write(
                `standby on ${address}: head ${leader.headId} at ${leader.address} leads cluster ${options.cluster}, epoch ${leader.epoch}\n`,
              );
            },
          },
        ).catch((reason: unknown) => {
          if (stop.aborted) return undefined;
          throw reason;
        });
        if (started === undefined) return exitSoon();
        tellReady(started, options, tls);
        const close = () => void started.close();
        stop.addEventListener("abort", close, { once: true });
        if (stop.aborted) close();
        const end = await started.closed;
        stop.removeEventListener("abort", close);
        if (end.restart) process.exitCode = exitCodes.restart;
        if (!end.deposed) return exitSoon();
        if (options.json) output.print({ event: "deposed", address: started.address, reason: end.reason });
        else process.stdout.write(`head ${started.address} no longer leads: ${printableLine(end.reason)}\n`);
      }
    });
}

/** Returns the line that adds a worker on this machine; on another one its paths are those of the copies there. */
function joinCommand(dataDir: string, address: string, tls: string): string {
  // `certs init` writes the folders of the roles beside each other.
  const flags = tls === "" ? "" : ` --tls ${shellWord(join(dirname(tls), "node"))}`;
  return `PALIMPSEST_TOKEN="$(cat ${shellWord(tokenPathOf(dataDir))})" palimpsest worker join${flags} --address ${address}`;
}
