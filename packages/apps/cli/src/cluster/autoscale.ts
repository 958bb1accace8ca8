/** `palimpsest head start --autoscale FILE`: reads the file, and creates the autoscaler when the head leads. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AutoscaleConfig, NodeProvider } from "@palimpsest/autoscaler";
import type { StartAutoscaler } from "@palimpsest/head";
import { tokenPathOf } from "@palimpsest/wire/local-head";
import { yamlFile } from "../input/yaml-file.js";
import { cliEntry } from "../installation/cli-entry.js";

interface HeadOptions {
  readonly dataDir: string;
  readonly cluster: string;
  readonly tls: string;
}

/** @throws {PalimpsestError} CONFIG_INVALID naming the file and the field */
export async function autoscalerOf(file: string, options: HeadOptions): Promise<StartAutoscaler> {
  const { Autoscaler, openProvider, parseAutoscaleConfig } = await import("@palimpsest/autoscaler");
  const config: AutoscaleConfig = parseAutoscaleConfig(
    yamlFile("--autoscale", file, "a provider and its nodes", "docs/guides/autoscaling.md"),
    file,
  );
  /** The head's address, which is known only once it leads. */
  let address = "";
  const provider: NodeProvider = await openProvider(config.provider, {
    clusterName: options.cluster,
    address: () => address,
    command: [process.execPath, cliEntry],
    token: () => readFileSync(tokenPathOf(options.dataDir), "utf8").trim(),
    tls: options.tls,
    defaultFolder: join(options.dataDir, "autoscaled"),
  });
  return (cluster, deps) => {
    address = cluster.address;
    return Autoscaler.start(config, { cluster, provider, ...deps });
  };
}
