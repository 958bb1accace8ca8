import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { SamplerCase } from "./sampler-case.js";

export interface SampledShape {
  readonly vocab: number;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly inner: number;
}

const limitMs = 300_000;

/** Measures tokens per second of ragged requests that come and go, by our sampler in its own process, in bfloat16. */
export async function sampledBy(wanted: {
  readonly shape: SampledShape;
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
      vocabSize: shape.vocab,
      hiddenSize: shape.hidden,
      layers: shape.layers,
      heads: shape.heads,
      kvHeads: shape.kvHeads,
      headDim: shape.headDim,
      intermediateSize: shape.inner,
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
  const file = fileURLToPath(new URL("sampler-case.ts", import.meta.url));
  const args = ["--import", "tsx", "--conditions=@palimpsest/source", file, JSON.stringify(case_)];
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
