import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { version } from "../../installation/version.js";

const timeoutMs = 60_000;

interface VersionFlags {
  readonly check?: boolean;
  readonly json?: boolean;
}

const output = new JsonOutput(() =>
  z.strictObject({
    version: z.string(),
    node: z.string(),
    newest: z.string().optional().describe("with --check: what npm would install"),
  }),
);

export function addVersion(program: Command): void {
  program
    .command("version")
    .description("prints the version of this installation; nothing is asked of the network without --check")
    .option("--check", "asks npm which version is the newest")
    .addOption(output.option())
    .action(async ({ check = false, json = false }: VersionFlags) => {
      const newest = check ? await newestVersion() : undefined;
      if (json) output.print({ version, node: process.versions.node, ...(newest ? { newest } : {}) });
      else process.stdout.write(`${version}\n`);
      if (newest !== undefined && !json)
        process.stderr.write(
          newest === version
            ? "this is the newest version\n"
            : `the newest version is ${newest}: npm install palimpsest\n`,
        );
    });
}

/** @throws {PalimpsestError} UNAVAILABLE, NOT_FOUND */
async function newestVersion(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("npm", ["view", "palimpsest", "version"], {
      timeout: timeoutMs,
    });
    return stdout.trim();
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr) : "";
    if (said.includes("E404"))
      throw new PalimpsestError("NOT_FOUND", "--check: npm's registry has no package palimpsest", { cause });
    const why = said.split("\n").find((line) => line.includes("error")) ?? reasonText(cause);
    throw new PalimpsestError(
      "UNAVAILABLE",
      `--check: \`npm view palimpsest version\` failed (${why}): try it in a terminal`,
      { cause },
    );
  }
}
