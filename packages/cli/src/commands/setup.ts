import { spawnSync } from "node:child_process";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { setupScript } from "../setup-script.js";

export function addSetup(program: Command): void {
  const run = (...args: readonly string[]) => {
    if (setupScript === undefined)
      throw new PalimpsestError(
        "NOT_FOUND",
        "scripts/setup.mjs is not in this installation; install it again",
      );
    const { status } = spawnSync(process.execPath, [setupScript, ...args], { stdio: "inherit" });
    process.exitCode = status ?? 1;
  };
  const setup = program
    .command("setup")
    .description(
      "fetches and builds what this installation needs on this machine; without effect where all is there",
    )
    .action(() => run());
  setup
    .command("gpu")
    .description("finds or fetches the libraries of an NVIDIA GPU, says where each is, and tries them")
    .option("--dry-run", "says what would be fetched, and changes nothing")
    .action(({ dryRun }: { readonly dryRun?: boolean }) => run("gpu", ...(dryRun ? ["--dry-run"] : [])));
}
