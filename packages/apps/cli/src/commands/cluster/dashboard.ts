import { resolve } from "node:path";
import { isLoopback, PalimpsestError } from "@palimpsest/wire";
import { readHeadAddress } from "@palimpsest/wire/local-head";
import type { Command } from "commander";
import { z } from "zod";
import { type ConnectionOptions, resolveConnection, withConnection } from "../../cluster/connection.js";
import { serveDashboardProxy } from "../../cluster/dashboard-proxy.js";
import { signInLink } from "../../cluster/sign-in-link.js";
import { JsonOutput } from "../../display/json-output.js";
import { existingFolder } from "../../input/existing-path.js";
import { parsePort } from "../../input/key-values.js";
import { stopSignal } from "../../input/signals.js";

interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly json?: boolean;
}

function tellLink(link: string, json = false): void {
  if (json) linkOutput.print({ event: "ready", link });
  else process.stdout.write(`dashboard  ${link}\n`);
}

const exportOutput = new JsonOutput(() =>
  z.strictObject({ out: z.string(), runs: z.int(), episodes: z.int(), bytes: z.number() }),
);
const linkOutput = new JsonOutput(
  () => z.strictObject({ event: z.literal("ready"), link: z.string().describe("signs in whoever opens it") }),
  { lines: true },
);

const foldersOfRuns = "give folders of runs, or folders that contain them";

export function addDashboard(program: Command): void {
  const dashboard = program
    .command("dashboard")
    .description("dashboard pages: of folders of runs, or of this machine's head");
  dashboard
    .command("serve", { isDefault: true })
    .description(
      "serves the pages until it is stopped, for owners of the link that it prints, which signs in",
    )
    .argument("<folders...>", "folders of runs, or folders that contain them")
    .option("--port <port>", "port to listen on; 0: a free one", parsePort, 0)
    .option("--host <address>", "loopback address to listen on", "127.0.0.1")
    .addOption(linkOutput.option())
    .action(async (folders: string[], { port, host, json }: ServeFlags) => {
      if (!isLoopback(host))
        throw new PalimpsestError(
          "CONFIG_INVALID",
          `--host ${host} is reachable from outside: give 127.0.0.1, or let others use a head's dashboard`,
        );
      // A shell passes on a pattern that matches nothing, such as runs/quickstart-*, and the pages would just be empty.
      for (const folder of folders) existingFolder(folder, folder, foldersOfRuns);
      const [{ startFolderDashboard }, { createLogger }] = await Promise.all([
        import("@palimpsest/dashboard"),
        import("@palimpsest/telemetry"),
      ]);
      const logger = createLogger({ component: "dashboard", level: "warn" });
      const server = await startFolderDashboard({ host, port, runs: folders, logger });
      // Whoever reads the line may stop it at once.
      const stop = stopSignal();
      tellLink(signInLink(server.address, server.token), json);
      if ((await server.countRuns()) === 0)
        process.stderr.write(`no run is in ${folders.join(", ")} yet: ${foldersOfRuns}, or wait for one\n`);
      if (!stop.aborted) await new Promise((end) => stop.addEventListener("abort", end, { once: true }));
      await server.close();
    });
  withConnection(dashboard.command("open"))
    .description(
      "prints an address that signs in to the dashboard of this machine's head; under TLS it serves the pages on loopback with --tls's certificate until it is stopped",
    )
    .addOption(linkOutput.option())
    .action(async (options: ConnectionOptions & { readonly json?: boolean }) => {
      const { address, token, tls, dataDir } = resolveConnection(options);
      const dashboardAddress = dataDir ? readHeadAddress(dataDir)?.dashboardAddress : undefined;
      if (!dashboardAddress)
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          dataDir
            ? `the head at ${address} serves no dashboard: start it without --no-dashboard`
            : `the head at ${address} is not of this machine: run this command on its machine, or give its --data-dir`,
        );
      if (tls === "") {
        tellLink(signInLink(dashboardAddress, token), options.json);
        return;
      }
      const proxy = await serveDashboardProxy(dashboardAddress, tls);
      const stop = stopSignal();
      tellLink(signInLink(proxy.address, token), options.json);
      if (!stop.aborted) await new Promise((end) => stop.addEventListener("abort", end, { once: true }));
      await proxy.close();
    });
  dashboard
    .command("export")
    .description("writes the pages and their data into a folder, which needs no server")
    .argument("<folders...>", "folders of runs, or folders that contain them")
    .requiredOption("--out <folder>", "folder to write")
    .addOption(exportOutput.option())
    .action(async (folders: string[], { out, json }: { readonly out: string; readonly json?: boolean }) => {
      for (const folder of folders) existingFolder(folder, folder, foldersOfRuns);
      const { exportRuns, pageFolder } = await import("@palimpsest/dashboard");
      const { runs, episodes, bytes } = await exportRuns(folders, resolve(out), pageFolder);
      if (json) exportOutput.print({ out, runs, episodes, bytes });
      else process.stderr.write(`wrote ${out}: ${runs} runs, ${episodes} episodes, ${bytes} bytes\n`);
    });
}
