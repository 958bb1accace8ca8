import { spawnSync } from "node:child_process";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { exitCodes } from "../../input/exit-codes.js";
import { isInputForbidden } from "../../input/no-input.js";
import { setupScript } from "../../installation/setup-script.js";

interface SetupFlags {
  readonly json?: boolean;
}

const output = new JsonOutput(() => z.strictObject({ ready: z.boolean() }));

export function addSetup(program: Command): void {
  const run = ({ json }: SetupFlags, ...args: readonly string[]) => {
    if (setupScript === undefined)
      throw new PalimpsestError(
        "NOT_FOUND",
        "scripts/setup.mjs is missing from this installation; reinstall the package",
      );
    const { status } = spawnSync(process.execPath, [setupScript, ...args], {
      // What the script says is talk beside the JSON.
      stdio: [isInputForbidden() ? "ignore" : "inherit", json ? process.stderr : "inherit", "inherit"],
    });
    process.exitCode = status ?? exitCodes.failed;
    if (json) output.print({ ready: status === 0 });
  };
  const setup = program
    .command("setup")
    .description("downloads and builds whatever this installation lacks on this machine")
    .addOption(output.option())
    .action((flags: SetupFlags) => run(flags));
  setup
    .command("gpu")
    .description("finds or downloads the libraries of an NVIDIA GPU, prints their locations, and tests them")
    .option("--dry-run", "prints what would be downloaded, and changes nothing")
    .addOption(output.option())
    .action((_own: SetupFlags, command: Command) => {
      // `setup` has a --json, too, and takes it wherever it stands.
      const flags = command.optsWithGlobals<SetupFlags & { readonly dryRun?: boolean }>();
      run(flags, "gpu", ...(flags.dryRun ? ["--dry-run"] : []));
    });
}
