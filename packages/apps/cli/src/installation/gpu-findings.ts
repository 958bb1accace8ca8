import { spawnSync } from "node:child_process";
import { hidesGpus, machineGpus } from "@palimpsest/jit";
import { z } from "zod";
import { setupScript } from "./setup-script.js";

export interface Finding {
  readonly what: string;
  readonly found: string;
  /** The command that fixes it; empty if nothing needs fixing. */
  readonly fix: string;
}

/** The output of `npm run setup -- gpu --json`. */
const stateSchema = z.object({
  cuda: z.string(),
  libraries: z.array(z.object({ opened: z.string(), file: z.string().optional(), wheel: z.string() })),
  tools: z.string().optional(),
  tensorflow: z.boolean(),
});

const setup = "npx palimpsest setup gpu";
const timeoutMs = 60_000;

/**
 * Checks the GPU and everything that libtensorflow needs to use it, with the command that installs what is missing.
 */
export function gpuFindings(
  gpus: readonly string[] = machineGpus(),
  visible = process.env["CUDA_VISIBLE_DEVICES"],
  inspect: () => unknown = inspection,
): Finding[] {
  if (gpus.length === 0) return [{ what: "gpu", found: "none", fix: "" }];
  const hidden = hidesGpus(visible) ? ` (hidden by CUDA_VISIBLE_DEVICES=${JSON.stringify(visible)})` : "";
  const gpu = { what: "gpu", found: `${gpus.join(", ")}${hidden}`, fix: "" };
  const parsed = stateSchema.safeParse(inspect());
  if (!parsed.success)
    return [
      gpu,
      { what: "gpu libraries", found: "not checked: the setup script gave no answer", fix: setup },
    ];
  const { cuda, libraries, tools, tensorflow } = parsed.data;
  const piece = (what: string, found: string | undefined): Finding => ({
    what,
    found: found ?? "missing",
    fix: found === undefined ? setup : "",
  });
  const missing = libraries.filter(({ file }) => file === undefined);
  return [
    gpu,
    piece("libtensorflow for GPUs", tensorflow ? "there" : undefined),
    ...(missing.length === 0 ? [piece("gpu libraries", `all, of CUDA ${cuda}`)] : []),
    ...missing.map(({ opened }) => piece(opened, undefined)),
    piece("libdevice", tools),
  ];
}

function inspection(): unknown {
  if (setupScript === undefined) return undefined;
  const { stdout } = spawnSync(process.execPath, [setupScript, "gpu", "--json"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: timeoutMs,
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
