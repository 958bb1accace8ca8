import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@palimpsest/client";
import { shellWord } from "@palimpsest/std";
import { builtinRecipesDir, readRecipe } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { LocalCluster } from "../../cluster/local-cluster.js";
import { pageCommand, pageUrl } from "../../cluster/metrics-page.js";
import { stopSignal } from "../../input/signals.js";
import { runOutput } from "../../training/run-output.js";
import { dryRun, type RunOptions, recipeWith, runRecipe, withRunOptions } from "./train.js";

interface QuickstartOptions extends RunOptions {
  readonly fromScratch?: boolean;
  readonly dryRun?: boolean;
}

export function addQuickstart(program: Command): void {
  withRunOptions(program.command("quickstart"), runOutput)
    .description(
      "trains a small memory agent on this machine: head, worker, queues and learner as real processes",
    )
    .option("--from-scratch", "trains the base model instead of using the one in the installation")
    .option("--dry-run", "prints what the run needs, and starts nothing")
    .option("--data-dir <folder>", "data folder of head and worker (default: a temporary one)")
    .action(async (options: QuickstartOptions & { dataDir?: string }) => {
      const signal = stopSignal();
      const builtin = recipeWith(readRecipe(join(builtinRecipesDir, "quickstart.yaml")).recipe, options);
      if (options.dryRun) {
        await dryRun(builtin, options, signal);
        return;
      }
      const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "palimpsest-quickstart-"));
      let recipe = builtin;
      let local: LocalCluster | undefined;
      try {
        if (options.fromScratch) {
          const { makeBase } = await import("../../training/make-base.js");
          recipe = {
            ...recipe,
            model: { path: await makeBase("quickstart-base.yaml", join(dataDir, "base"), signal) },
          };
        }
        local = await LocalCluster.start(dataDir, signal);
        (options.json ? process.stderr : process.stdout).write(
          [
            `head ${local.address} (pid ${local.headPid}), worker (pid ${local.workerPid}), data in ${dataDir}`,
            `watch it from another terminal: npx palimpsest status --data-dir ${shellWord(local.headDir)}`,
            `metrics: ${pageCommand(pageUrl(local.metricsAddress, false), { headDir: local.headDir, tls: "" })}`,
            "",
            "",
          ].join("\n"),
        );
        const cluster = await connect({ address: local.address, token: local.token, name: "quickstart" });
        try {
          const report = await runRecipe(cluster, recipe, options, signal);
          if (report.groupsTrained === 0) throw new PalimpsestError("INTERNAL", "no group was trained");
        } finally {
          await cluster.close();
        }
      } finally {
        await local?.stop();
        if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
      }
    });
}
