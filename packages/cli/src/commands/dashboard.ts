import { resolve } from "node:path";
import { isLoopback, PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { parseWhole } from "../key-values.js";
import { stopSignal } from "../signals.js";

interface ServeFlags {
  readonly port: number;
  readonly host: string;
}

export function addDashboard(program: Command): void {
  const dashboard = program
    .command("dashboard")
    .description("pages over folders of runs; a head serves its own");
  dashboard
    .command("serve", { isDefault: true })
    .description("serves them until it is stopped, to whoever has the token that it prints")
    .argument("<folders...>", "runs, and folders that hold some")
    .option("--port <port>", "0: a free one", parseWhole, 0)
    .option("--host <address>", "an address of loopback", "127.0.0.1")
    .action(async (folders: string[], { port, host }: ServeFlags) => {
      if (!isLoopback(host))
        throw new PalimpsestError(
          "CONFIG_INVALID",
          `--host ${host} is reachable from outside: give 127.0.0.1, and a head's dashboard for others`,
        );
      const [{ startFolderDashboard }, { createLogger }] = await Promise.all([
        import("@palimpsest/dashboard"),
        import("@palimpsest/telemetry"),
      ]);
      const logger = createLogger({ component: "dashboard", level: "warn" });
      const server = await startFolderDashboard({ host, port, runs: folders, logger });
      process.stdout.write(`dashboard  http://${server.address}/\ntoken      ${server.token}\n`);
      const stop = stopSignal();
      if (!stop.aborted) await new Promise((end) => stop.addEventListener("abort", end, { once: true }));
      await server.close();
    });
  dashboard
    .command("export")
    .description("writes the pages and all that they show into a folder, which needs no server")
    .argument("<folders...>", "runs, and folders that hold some")
    .requiredOption("--out <folder>", "the folder that is written")
    .action(async (folders: string[], { out }: { readonly out: string }) => {
      const { exportRuns, pageFolder } = await import("@palimpsest/dashboard");
      const { runs, episodes, bytes } = await exportRuns(folders, resolve(out), pageFolder);
      process.stderr.write(`wrote ${out}: ${runs} runs, ${episodes} episodes, ${bytes} bytes\n`);
    });
}
