import { writeSecretFile } from "@palimpsest/head/files";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { JsonOutput } from "../../display/json-output.js";
import { parseWhole } from "../../input/key-values.js";

const defaultGraceSeconds = 600;

interface RotateOptions extends ConnectionOptions {
  readonly grace: number;
  readonly stolen?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

const output = new JsonOutput(() =>
  z.strictObject({
    acceptedUntilMs: z.number().describe("when the old token is refused, in milliseconds since 1970"),
    redisRotated: z.boolean(),
    file: z.string().nullable().describe("the file of --out"),
  }),
);

export function addToken(program: Command): void {
  const token = program.command("token").description("the cluster's token");
  withConnection(token.command("rotate"))
    .description(
      "replaces the token: nodes, actors, sessions, standby heads and token files get the new one, and nothing is interrupted",
    )
    .option("--grace <seconds>", "how long the old token is still accepted", parseWhole, defaultGraceSeconds)
    .option(
      "--stolen",
      "the old token is refused at once, and the passwords of the head's own Redis are replaced; without TLS, workers, standby heads and drivers must be restarted",
    )
    .option("--out <file>", "also writes the new token to this file, readable only by you")
    .addOption(output.option("as JSON; the token itself is not printed"))
    .action(async (options: RotateOptions) => {
      const stolen = options.stolen ?? false;
      const rotated = await withCluster(options, "token rotate", (cluster) =>
        cluster.rotateToken({ graceMs: options.grace * 1_000, stolen }),
      );
      const { token: fresh, acceptedUntilMs } = rotated;
      if (options.out !== undefined) writeSecret(options.out, fresh);
      if (options.json) {
        const { redisRotated } = rotated;
        output.print({ acceptedUntilMs, redisRotated, file: options.out ?? null });
        return;
      }
      // The token itself is not printed, because terminal output is often logged.
      process.stdout.write(
        [
          `the token was replaced; the new one is in ${options.out || "the head's token file"}`,
          `the old one is refused from ${new Date(acceptedUntilMs).toISOString()}`,
          ...(stolen ? [redisLine(rotated.redisRotated)] : []),
          "use the new one in everything that starts workers, heads or drivers with PALIMPSEST_TOKEN or --token",
          "",
        ].join("\n"),
      );
    });
}

function redisLine(rotated: boolean): string {
  return rotated
    ? "the passwords of the head's Redis were replaced: restart running trainings with the same --run-dir"
    : "the cluster uses your own Redis: replace the passwords of its users there, and start the head with the new URLs";
}

function writeSecret(path: string, text: string): void {
  try {
    writeSecretFile(path, `${text}\n`);
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `--out: ${path} cannot be written (${reasonText(cause)}); the token was rotated, take it from the head's token file`,
      { cause },
    );
  }
}
