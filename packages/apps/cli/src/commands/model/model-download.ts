import type { Command } from "commander";
import { z } from "zod";
import { downloadBar } from "../../display/download-bar.js";
import { JsonOutput } from "../../display/json-output.js";
import { untilStopped } from "../../input/signals.js";
import { modelCache } from "../../models/model-cache.js";

interface DownloadCommandOptions {
  readonly revision?: string;
  readonly to?: string;
  readonly refresh?: boolean;
  readonly json?: boolean;
}

const output = new JsonOutput(() => z.strictObject({ folder: z.string() }));

export function addModelDownload(model: Command): void {
  model
    .command("download")
    .description("downloads a model into the cache and prints its folder; resumes an interrupted download")
    .argument("<id>", "ORGANIZATION/NAME on the hub, or a name of `palimpsest model list`")
    .option("--revision <name>", "branch, tag or commit; default: main")
    .option("--to <folder>", "folder to download to instead of the cache")
    .option("--refresh", "checks the hub again even if all files are present")
    .addOption(output.option())
    .addHelpText(
      "after",
      "\nEnvironment: HF_ENDPOINT (another hub), HF_TOKEN (private and gated models), PALIMPSEST_CACHE (folder of the cache).",
    )
    .action(async (id: string, options: DownloadCommandOptions) => {
      const { downloadModel, fetchKnownModel, knownModel, resolveModel } = await import("@palimpsest/model");
      const { cacheDir, ...hub } = modelCache();
      const bar = downloadBar(id, process.stderr);
      const settings = {
        ...hub,
        ...(options.revision === undefined ? {} : { revision: options.revision }),
        ...(options.refresh === undefined ? {} : { refresh: options.refresh }),
        onProgress: bar.show,
      };
      const fetchInto = async (to: string, signal: AbortSignal): Promise<string> => {
        const known = knownModel(id);
        if (known === undefined) return await downloadModel(id, to, { ...settings, signal });
        if ("repo" in known) return await fetchKnownModel(known, to, { ...settings, signal });
        await known.make(to, { ...settings, signal });
        return to;
      };
      try {
        const folder = await untilStopped(async (signal) =>
          options.to === undefined
            ? await resolveModel(id, { ...settings, cacheDir, signal })
            : await fetchInto(options.to, signal),
        );
        bar.close();
        if (options.json) output.print({ folder });
        else process.stdout.write(`${folder}\n`);
      } finally {
        bar.close();
      }
    });
}
