import type { Command } from "commander";
import { downloadBar } from "../display/download-bar.js";
import { modelCache } from "../model-cache.js";
import { stopSignal } from "../signals.js";

interface DownloadCommandOptions {
  readonly revision?: string;
  readonly to?: string;
  readonly refresh?: boolean;
}

export function addModelDownload(model: Command): void {
  model
    .command("download")
    .description(
      "fetches a model into the cache and prints its folder; goes on where an earlier call stopped",
    )
    .argument("<id>", "ORGANISATION/NAME on the hub, or a known name such as smollm2-135m-instruct")
    .option("--revision <name>", "branch, tag or commit; default: main")
    .option("--to <folder>", "instead of the cache")
    .option("--refresh", "asks the hub again even if everything is there")
    .addHelpText(
      "after",
      "\nEnvironment: HF_ENDPOINT (another hub), HF_TOKEN (private and gated models), PALIMPSEST_CACHE (where the cache is).",
    )
    .action(async (id: string, options: DownloadCommandOptions) => {
      const { downloadModel, knownModels, resolveModel } = await import("@palimpsest/model");
      const { cacheDir, ...hub } = modelCache();
      const bar = downloadBar(id, process.stderr);
      const common = {
        ...hub,
        ...(options.revision === undefined ? {} : { revision: options.revision }),
        ...(options.refresh === undefined ? {} : { refresh: options.refresh }),
        signal: stopSignal(),
        onProgress: bar.show,
      };
      try {
        const known = knownModels[id];
        let folder = options.to;
        if (folder === undefined) folder = await resolveModel(id, { ...common, cacheDir });
        else if (known !== undefined) await known.make(folder, common);
        else folder = await downloadModel(id, folder, common);
        bar.close();
        process.stdout.write(`${folder}\n`);
      } finally {
        bar.close();
      }
    });
}
