import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSafetensors, type StoredTensor } from "@palimpsest/model";
import { z } from "zod";
import { LearnerError } from "../error.js";
import { Aggregation } from "../loss-config.js";

const lossCaseSchema = z.object({
  clip_low: z.number(),
  clip_high: z.number(),
  kl_beta: z.number(),
  aggregation: Aggregation,
  loss: z.number(),
  kl_k3: z.number(),
  clip_fraction: z.number(),
  grad_norm: z.number(),
});
export type LossCase = z.infer<typeof lossCaseSchema>;

/** The case whose gradients are stored, and that AdamW trains on. */
export const GRADIENT_CASE = "token_mean";

const numbersSchema = z.looseObject({
  [GRADIENT_CASE]: lossCaseSchema,
  advantages: z.array(z.number()).min(1),
  adamw: z.object({
    lr: z.number().positive(),
    betas: z.tuple([z.number(), z.number()]),
    eps: z.number().positive(),
    weight_decay: z.number().nonnegative(),
    max_grad_norm: z.number().positive(),
    steps: z.array(z.object({ loss: z.number(), grad_norm: z.number() })).min(1),
  }),
  greedy_prompt: z.array(z.int().nonnegative()).min(1),
  greedy_continuation: z.array(z.int().nonnegative()).min(1),
});

type Numbers = z.infer<typeof numbersSchema>;

/** What a reference implementation computed of a model; [rows, width] where width is one less than the tokens of a row. */
export interface ReferenceNumbers {
  readonly rows: number;
  readonly width: number;
  readonly advantages: readonly number[];
  readonly adamw: Numbers["adamw"];
  readonly greedy: { readonly prompt: readonly number[]; readonly continuation: readonly number[] };
  /** Every entry of reference.json that has a `clip_low`. */
  readonly losses: ReadonlyMap<string, LossCase>;
  /** int32 [rows, width + 1]. */
  readonly tokenIds: Int32Array;
  /** 1 where token t+1 is no padding. */
  readonly present: readonly boolean[];
  /** 1 where token t+1 is a response token. */
  readonly lossMask: Float32Array;
  readonly logprobs: Float32Array;
  readonly entropy: Float32Array;
  readonly oldLogprobs: Float32Array;
  readonly refLogprobs: Float32Array;
  readonly logprobsAfterAdamw: Float32Array;
  /** By Hugging Face names. */
  readonly gradients: Readonly<Record<string, StoredTensor>>;
}

/**
 * Reads reference.json and reference.safetensors of a folder.
 * @throws {LearnerError} REFERENCE_INVALID, naming the field; {ModelError} FILE_DAMAGED
 */
export async function readReferenceNumbers(folder: string): Promise<ReferenceNumbers> {
  const path = join(folder, "reference.json");
  const numbers = parse(
    path,
    await readFile(path, "utf8").catch((cause: unknown) => refuse(path, "cannot be read", cause)),
  );
  const tensorPath = join(folder, "reference.safetensors");
  const tensors = await readSafetensors(tensorPath).catch((cause: unknown) =>
    refuse(tensorPath, "cannot be read", cause),
  );
  const stored = (name: string): StoredTensor => tensors[name] ?? refuse(tensorPath, `has no ${name}`);
  const ids = stored("input_ids");
  const [rows = 0, length = 0] = ids.shape;
  const width = length - 1;
  if (rows !== numbers.advantages.length) {
    refuse(path, `has ${numbers.advantages.length} advantages for ${rows} rows of input_ids`);
  }
  const perToken = (name: string): Float32Array => {
    const { shape, values } = stored(name);
    if (shape[0] !== rows || shape[1] !== width) {
      refuse(tensorPath, `${name} is [${shape.join(", ")}] where [${rows}, ${width}] is expected`);
    }
    return Float32Array.from(values);
  };
  const attention = stored("attention_mask").values;
  return {
    rows,
    width,
    advantages: numbers.advantages,
    adamw: numbers.adamw,
    greedy: { prompt: numbers.greedy_prompt, continuation: numbers.greedy_continuation },
    losses: lossCases(path, numbers),
    tokenIds: Int32Array.from(ids.values),
    present: Array.from({ length: rows * width }, (_, i) => {
      return attention[Math.floor(i / width) * length + (i % width) + 1] === 1;
    }),
    lossMask: perToken("response_mask"),
    logprobs: perToken("logprobs"),
    entropy: perToken("entropy"),
    oldLogprobs: perToken("old_logprobs"),
    refLogprobs: perToken("ref_logprobs"),
    logprobsAfterAdamw: perToken("logprobs_after_adamw"),
    gradients: Object.fromEntries(
      Object.entries(tensors).flatMap(([name, tensor]) =>
        name.startsWith("grad.") ? [[name.slice("grad.".length), tensor]] : [],
      ),
    ),
  };
}

function lossCases(path: string, numbers: Numbers): ReadonlyMap<string, LossCase> {
  const isCase = (value: unknown) => typeof value === "object" && value !== null && "clip_low" in value;
  const cases = Object.entries(numbers).filter(([, value]) => isCase(value));
  return new Map(
    cases.map(([name, value]) => {
      const parsed = lossCaseSchema.safeParse(value);
      if (parsed.success) return [name, parsed.data];
      return refuse(path, `${name}: ${z.prettifyError(parsed.error).split("\n").join(" ")}`, parsed.error);
    }),
  );
}

function parse(path: string, text: string): Numbers {
  try {
    return numbersSchema.parse(JSON.parse(text));
  } catch (cause) {
    const what = cause instanceof z.ZodError ? z.prettifyError(cause).split("\n").join(" ") : "no JSON";
    return refuse(path, what, cause);
  }
}

function refuse(path: string, what: string, cause?: unknown): never {
  throw new LearnerError("REFERENCE_INVALID", `${path}: ${what}`, { cause });
}
