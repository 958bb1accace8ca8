import { writeSecretFile } from "@palimpsest/head/files";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../connection.js";
import { parseWhole } from "../key-values.js";

const defaultGraceSeconds = 600;

interface RotateOptions extends ConnectionOptions {
  readonly grace: number;
  readonly out?: string;
}

export function addToken(program: Command): void {
  const token = program.command("token").description("the cluster's token");
  withConnection(token.command("rotate"))
    .description("replaces the token: nodes, actors, sessions and token files get the new one, nothing ends")
    .option("--grace <seconds>", "how long the old token is still accepted", parseWhole, defaultGraceSeconds)
    .option("--out <file>", "also writes the new token there, readable by you only")
    .action(async (options: RotateOptions) => {
      const { token: fresh, acceptedUntilMs } = await withCluster(options, "token rotate", (cluster) =>
        cluster.rotateToken({ graceMs: options.grace * 1_000 }),
      );
      if (options.out !== undefined) writeSecret(options.out, fresh);
      // The token itself is not printed: terminals are logged.
      process.stdout.write(
        [
          `the token is a new one${options.out ? `, written to ${options.out}` : ": it is in the head's token file"}`,
          `the old one is refused from ${new Date(acceptedUntilMs).toISOString()}`,
          "give the new one to whatever starts workers, standby heads or drivers with PALIMPSEST_TOKEN or --token",
          "",
        ].join("\n"),
      );
    });
}

function writeSecret(path: string, text: string): void {
  try {
    writeSecretFile(path, `${text}\n`);
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `--out: ${path} cannot be written; the token was rotated, take it from the head's token file`,
      { cause },
    );
  }
}
