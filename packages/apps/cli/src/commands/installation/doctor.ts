import { execFileSync } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { formatTable } from "../../display/table.js";
import { type Finding, gpuFindings } from "../../installation/gpu-findings.js";

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

function firstLine(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, {
      // It tells what is there, and fetches nothing.
      env: { ...process.env, PALIMPSEST_SETUP: "off" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 60_000,
    }).split("\n")[0];
  } catch {
    return undefined;
  }
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fine = major > 20 || (major === 20 && minor >= 19);
  return { what: "Node", found: process.versions.node, fix: fine ? "" : "install Node 20.19, 22 or 24" };
}

function redis(): Finding {
  const found = firstLine("redis-server", ["--version"])?.match(/v=(\S+)/)?.[1];
  const fix = process.platform === "darwin" ? "brew install redis" : "apt-get install redis-server";
  return { what: "redis-server", found: found ?? "missing", fix: found ? "" : fix };
}

/** Returns a program with a static import, because bundling this file replaces calls of import(), even within text. */
const loadInChild = (jit: string) => `
import { loadBackend } from ${JSON.stringify(jit)};
const { name, tensorflowVersion, gpu, tensorFloat32, passedOver, gpuUnused } = await loadBackend();
process.stdout.write(JSON.stringify({ name, tensorflowVersion, gpu, tensorFloat32, passedOver, gpuUnused }));
process.exit(0);`;

/** Loads the backend in another process, because libtensorflow writes to the terminal while it loads. */
function backend(): Finding & { readonly isOnGpu?: boolean } {
  const jit = pathToFileURL(createRequire(import.meta.url).resolve("@palimpsest/jit")).href;
  const said = firstLine(process.execPath, ["--input-type=module", "-e", loadInChild(jit)]);
  if (said === undefined)
    return { what: "backend", found: "none can be loaded", fix: "npx palimpsest setup" };
  const loaded = JSON.parse(said) as {
    name: string;
    tensorflowVersion?: string;
    gpu: boolean;
    tensorFloat32: boolean;
    passedOver: string[];
    gpuUnused?: string;
  };
  const version = loaded.tensorflowVersion ? ` ${loaded.tensorflowVersion}` : "";
  const because = loaded.passedOver.length > 0 ? ` (${loaded.passedOver.join("; ")})` : "";
  return {
    isOnGpu: loaded.gpu,
    what: "backend",
    found: `${loaded.name}${version}${loaded.gpu ? ` on the GPU, float32 products in ${loaded.tensorFloat32 ? "TF32" : "float32"}` : ""}${because}`,
    fix:
      loaded.name === "tensorflow"
        ? (loaded.gpuUnused ?? "")
        : "npx palimpsest setup installs libtensorflow, or prints why it cannot",
  };
}

async function machine(): Promise<Finding[]> {
  // What a worker would offer: a container may have less than its machine.
  const { cpuCount, memoryLook } = await import("@palimpsest/node");
  const { availableBytes, totalBytes } = memoryLook();
  const { mappingProblem } = await import("@palimpsest/wire");
  const shm = existsSync("/dev/shm") ? statfsSync("/dev/shm") : undefined;
  const unmapped = mappingProblem("/dev/shm");
  const values = unmapped === "" ? "mapped into programs" : `copied into programs (${unmapped})`;
  return [
    { what: "cpu", found: `${cpuCount()} cores`, fix: "" },
    { what: "memory", found: `${gib(availableBytes)} free of ${gib(totalBytes)}`, fix: "" },
    { what: "/dev/shm", found: shm ? `${gib(shm.bavail * shm.bsize)} free` : "none", fix: "" },
    { what: "large values", found: values, fix: "" },
  ];
}

/** Formats findings as a table, in which a long one takes several lines. */
export function findingsText(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ what, found, fix }) =>
    (found.match(/\S.{0,49}(?!\S)|\S{1,50}/g) ?? [""]).map((line, index) =>
      index === 0 ? [fix ? "✗" : "✓", what, line, fix] : ["", "", line, ""],
    ),
  );
  return formatTable(["", "what", "found", "fix"], rows);
}

const output = new JsonOutput(() =>
  z.array(
    z.strictObject({
      what: z.string(),
      found: z.string(),
      isOnGpu: z.boolean().optional(),
      fix: z.string().describe("the command that fixes it; empty: nothing is wrong"),
    }),
  ),
);

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("checks this machine, and prints the command that installs each missing piece")
    .addOption(output.option())
    .action(async (options: { json?: boolean }) => {
      const tensors = backend();
      // If the GPU is used, nothing is missing, wherever its libraries are.
      const gpuPieces = gpuFindings().slice(0, tensors.isOnGpu ? 1 : undefined);
      const findings: Finding[] = [node(), redis(), tensors, ...(await machine()), ...gpuPieces];
      if (options.json) output.print(findings);
      else process.stdout.write(`${findingsText(findings)}\n`);
      if (findings.some(({ fix }) => fix !== "")) process.exitCode = 1;
    });
}
