import { join } from "node:path";
import type { Manifest } from "@palimpsest/datasets";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { downloadBar } from "../display/download-bar.js";
import { untilStopped } from "../input/signals.js";
import { modelCache } from "../models/model-cache.js";

export interface HubFlags {
  readonly hfDataset?: string;
  readonly hfConfig?: string;
  readonly hfSplit?: string;
  readonly hfFile?: readonly string[];
  readonly hfRevision?: string;
}

export function withHubFlags(command: Command): Command {
  return command
    .option("--hf-dataset <id>", "ORGANIZATION/NAME of a data set on the hub, downloaded into the cache")
    .option("--hf-config <name>", "its folder, such as distractor")
    .option("--hf-split <name>", "its split, such as train")
    .option("--hf-file <files...>", "its files by name, instead of config and split")
    .option("--hf-revision <name>", "branch, tag or commit; default: main");
}

/** Returns the files that the flags name, downloaded if necessary; undefined if they name no data set. */
export async function hubSources(
  flags: HubFlags,
): Promise<{ readonly files: readonly string[]; readonly origin: Manifest["hub"] } | undefined> {
  const { hfDataset: repo, hfConfig, hfSplit, hfFile, hfRevision } = flags;
  if (repo === undefined) {
    const lonely = Object.entries({ hfConfig, hfSplit, hfFile, hfRevision }).find(
      ([, value]) => value !== undefined,
    );
    if (lonely === undefined) return undefined;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "--hf-dataset is missing: name the data set to which the other --hf-… flags refer",
    );
  }
  if (!/^[\w.-]+\/[\w.-]+$/.test(repo)) {
    throw new PalimpsestError("CONFIG_INVALID", `--hf-dataset: "${repo}" is not ORGANIZATION/NAME`);
  }
  const { downloadDataset } = await import("@palimpsest/model");
  const bar = downloadBar(repo, process.stderr);
  const selection = {
    ...(hfSplit === undefined ? {} : { split: hfSplit }),
    ...(hfConfig === undefined ? {} : { config: hfConfig }),
    ...(hfFile === undefined ? {} : { files: hfFile }),
  };
  try {
    const { folder, endpoint, commit, files } = await untilStopped((signal) =>
      downloadDataset(repo, selection, {
        ...modelCache(),
        ...(hfRevision === undefined ? {} : { revision: hfRevision }),
        signal,
        onProgress: bar.show,
      }),
    );
    return {
      files: files.map((file) => join(folder, file)),
      origin: { endpoint, repo, revision: hfRevision ?? "main", commit },
    };
  } finally {
    bar.close();
  }
}
