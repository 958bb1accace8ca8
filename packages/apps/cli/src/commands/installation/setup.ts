import { spawnSync } from "node:child_process";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { setupScript } from "../../installation/setup-script.js";

export function addSetup(program: Command): void {
  const run = (...args: readonly string[]) => {
    if (setupScript === undefined)
      throw new PalimpsestError(
        "NOT_FOUND",
        "scripts/setup.mjs is missing from this installation; reinstall the package",
      );
    const { status } = spawnSync(process.execPath, [setupScript, ...args], { stdio: "inherit" });
    process.exitCode = status ?? 1;
  };
  const setup = program
    .command("setup")
    .description("downloads and builds whatever this installation lacks on this machine")
    .action(() => run());
  setup
    .command("gpu")
    .description("finds or downloads the libraries of an NVIDIA GPU, prints their locations, and tests them")
    .option("--dry-run", "prints what would be downloaded, and changes nothing")
    .action(({ dryRun }: { readonly dryRun?: boolean }) => run("gpu", ...(dryRun ? ["--dry-run"] : [])));
}
