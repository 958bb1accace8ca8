import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { constants as system, tmpdir } from "node:os";
import { join } from "node:path";
import { isProcessAlive } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { reasonText, systemFailure } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { devFolder, readHeadAddress, tokenFileVariable, tokenPathOf } from "@palimpsest/wire/local-head";
import { type Command, Option } from "commander";
import { z } from "zod";
import { type EndedProcess, LocalCluster } from "../../cluster/local-cluster.js";
import { signInLink } from "../../cluster/sign-in-link.js";
import { JsonOutput } from "../../display/json-output.js";
import { parseAmount, parsePort } from "../../input/key-values.js";
import { isInputForbidden } from "../../input/no-input.js";
import { stopSignal } from "../../input/signals.js";

interface DevOptions {
  readonly cpus?: number;
  readonly port: number;
  readonly dashboardPort: number;
  readonly forProgram?: boolean;
  readonly json?: boolean;
}

export function addDev(program: Command): void {
  program
    .command("dev")
    .description(
      "starts head, worker and dashboard on this machine until it is stopped, or until the program after -- has ended",
    )
    .argument("[command...]", "after --, a program to run against the cluster, whose exit code is taken over")
    .option("--cpus <count>", "CPUs that the worker offers (default: all)", parseAmount)
    .option("--port <port>", "port of the head; 0: a free one", parsePort, 0)
    .option("--dashboard-port <port>", "port of the dashboard; 0: a free one", parsePort, 0)
    .addOption(output.option("one JSON object per line; after it comes what the program prints"))
    .addOption(
      new Option("--for-program", "prints one line of JSON, and ends with its standard input").hideHelp(),
    )
    .action(async (command: string[], options: DevOptions) => {
      const { cpus, port, dashboardPort, forProgram = false, json = false } = options;
      const signal = stopSignal({ untilStdinEnds: forProgram });
      // Other programs find the cluster by its folder. One that is there for a single program has none that is known.
      const isShared = !forProgram && command.length === 0;
      const folder = isShared ? devFolder() : mkdtempSync(join(tmpdir(), "palimpsest-dev-"));
      if (isShared) {
        makeUsable(folder);
        refuseSecond(folder);
      }
      let local: LocalCluster | undefined;
      try {
        local = await LocalCluster.start(folder, signal, {
          cpus,
          port,
          dashboardPort: forProgram ? null : dashboardPort,
        });
        tellReady(local, { forProgram, json });
        if (command.length > 0) process.exitCode = await runProgram(command, local);
        else await Promise.race([stopped(signal), local.ended.then(tellEnd)]);
      } catch (reason) {
        if (!signal.aborted) throw reason;
      } finally {
        await local?.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    });
}

function tellReady(
  { address, token, headDir, dashboardAddress }: LocalCluster,
  { forProgram, json }: { readonly forProgram: boolean; readonly json: boolean },
): void {
  const link = signInLink(dashboardAddress, token);
  if (forProgram) process.stdout.write(`${JSON.stringify({ address, token })}\n`);
  else if (json)
    output.print({ event: "ready", address, tokenFile: tokenPathOf(headDir), dashboardLink: link });
  else process.stdout.write(`dashboard  ${link}\n`);
}

const output = new JsonOutput(
  () =>
    z.strictObject({
      event: z.literal("ready"),
      address: z.string(),
      tokenFile: z.string(),
      dashboardLink: z.string().describe("signs in whoever opens it"),
    }),
  { lines: true },
);

/** @throws {PalimpsestError} INVALID_ARGUMENT that names the variables from which the folder comes */
function makeUsable(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    if (systemFailure(cause) === undefined) throw cause;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${folder}: dev cannot keep its data there, since ${reasonText(cause)}; set HOME or XDG_STATE_HOME to a folder that you may write to, or PALIMPSEST_DATA_DIR to one for this alone (\`palimpsest head start\` takes it as --data-dir)`,
      { cause },
    );
  }
}

/** @throws {PalimpsestError} ALREADY_EXISTS */
function refuseSecond(folder: string): void {
  const head = readHeadAddress(join(folder, "head"));
  if (head === undefined || head.pid === 0 || !isProcessAlive(head.pid)) return;
  throw new PalimpsestError(
    "ALREADY_EXISTS",
    `palimpsest dev runs already: head ${head.address} (pid ${head.pid}), dashboard http://${head.dashboardAddress}/, data in ${folder}; ` +
      "programs find it by themselves; Ctrl-C in its terminal ends it, and `palimpsest dev -- COMMAND` runs a program in a cluster of its own",
  );
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** @throws {PalimpsestError} UNAVAILABLE unless somebody asked for the end */
function tellEnd({ text, wasAsked }: EndedProcess): void {
  if (!wasAsked) throw new PalimpsestError("UNAVAILABLE", text);
  process.stderr.write("the cluster was stopped from elsewhere\n");
}

/** Runs the program to its end. Returns its exit code as a shell tells it. */
async function runProgram(
  [name = "", ...args]: readonly string[],
  { address, headDir }: LocalCluster,
): Promise<number> {
  const { PALIMPSEST_TOKEN: _, PALIMPSEST_TLS: __, ...environment } = process.env;
  const child: ChildProcess = spawn(name, args, {
    stdio: [isInputForbidden() ? "ignore" : "inherit", "inherit", "inherit"],
    env: { ...environment, PALIMPSEST_ADDRESS: address, [tokenFileVariable]: tokenPathOf(headDir) },
  });
  // Ctrl-C in a terminal reaches the program as well, which may take its time; of SIGTERM it learns only from here.
  const end = () => void child.kill("SIGTERM");
  process.on("SIGTERM", end);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (reason) =>
        reject(
          new PalimpsestError(
            "INVALID_ARGUMENT",
            `${name} cannot be started: ${reasonText(reason)}; give a program after --`,
            { cause: reason },
          ),
        ),
      );
      child.once("exit", (code, by) => resolve(code ?? 128 + (by ? system.signals[by] : 0)));
    });
  } finally {
    process.off("SIGTERM", end);
  }
}
