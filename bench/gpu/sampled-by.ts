import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { caseArgs, modelShape, type Shape } from "./case.js";
import type { SamplerCase } from "./sampler-case.js";

const limitMs = 300_000;

/** Measures tokens per second of ragged requests that come and go, by our sampler in its own process, in bfloat16. */
export async function sampledBy(wanted: {
  readonly shape: Shape;
  readonly rows: number;
  readonly promptTokens: readonly [number, number];
  readonly newTokens: readonly [number, number];
  readonly seconds: number;
}): Promise<{ tokensPerSecond?: number; peakMiB?: number | undefined; failed?: string }> {
  const { shape, rows, promptTokens, newTokens, seconds } = wanted;
  const case_: SamplerCase = {
    name: "beside torch",
    shape: {
      architecture: "qwen2",
      ...modelShape(shape),
      ropeTheta: 1e6,
      tieWordEmbeddings: true,
      maxPositions: 4096,
    },
    samplers: [{ rows, workloads: ["own prompts"] }],
    maxLength: 639,
    prompt: promptTokens,
    reply: newTokens,
    precision: "bfloat16",
    mode: "xla",
    cache: "slots",
    seconds,
  };
  const args = [...caseArgs("sampler-case.ts"), JSON.stringify(case_)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      timeout: limitMs,
      maxBuffer: 2 ** 24,
    });
    const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
    const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const measured = said.find(({ workload }) => workload !== undefined) ?? {};
    const { tokensPerSecond, usedMiB } = measured as { tokensPerSecond?: number; usedMiB?: number };
    return tokensPerSecond === undefined
      ? { failed: "said no figure" }
      : { tokensPerSecond, peakMiB: usedMiB };
  } catch (error) {
    return { failed: error instanceof Error ? error.message.slice(-300) : String(error) };
  }
}
