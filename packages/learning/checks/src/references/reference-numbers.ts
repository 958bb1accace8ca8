import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Aggregation, LearnerError } from "@palimpsest/learner";
import { readSafetensors, type StoredTensor } from "@palimpsest/model";
import { parseJson, reasonText } from "@palimpsest/std/input";
import { z } from "zod";

const lossCaseSchema = z.object({
  clip_low: z.number(),
  clip_high: z.number(),
  kl_beta: z.number(),
  aggregation: Aggregation,
  loss: z.number(),
  kl_k3: z.number(),
  /** Some references do not have it. */
  clip_fraction: z.number().optional(),
  grad_norm: z.number(),
});
export type LossCase = z.infer<typeof lossCaseSchema>;

/** The loss case whose gradients are stored, and with which AdamW trains. */
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

/**
 * A reference implementation's numbers for one batch. Unless noted, they are [rows, width], where `width` is one less
 * than the number of tokens per row.
 */
export interface ReferenceBatch {
  readonly rows: number;
  readonly width: number;
  readonly advantages: readonly number[];
  /** The temperature by which the logits were divided for all numbers. */
  readonly temperature: number;
  readonly losses: ReadonlyMap<string, LossCase>;
  /** The loss case whose gradients are stored; undefined if there are none. */
  readonly gradientCase: string | undefined;
  /** The token ids, int32 [rows, width + 1]. */
  readonly tokenIds: Int32Array;
  /** True at position t if token t+1 is not padding. */
  readonly present: readonly boolean[];
  /** 1 at position t if token t+1 is a response token, otherwise 0. */
  readonly lossMask: Float32Array;
  readonly logprobs: Float32Array;
  readonly entropy: Float32Array;
  readonly oldLogprobs: Float32Array;
  readonly refLogprobs: Float32Array;
  /** The gradients by the parameters' Hugging Face names. */
  readonly gradients: Readonly<Record<string, StoredTensor>>;
}

/** A reference implementation's numbers for a model. `losses` has every entry of reference.json with a `clip_low`. */
export interface ReferenceNumbers extends ReferenceBatch {
  readonly adamw: Numbers["adamw"];
  readonly greedy: { readonly prompt: readonly number[]; readonly continuation: readonly number[] };
  readonly logprobsAfterAdamw: Float32Array;
  /** The numbers of the same batch at other temperatures; empty if the folder has no temperature.json. */
  readonly atTemperatures: readonly ReferenceBatch[];
}

const temperaturesSchema = z.record(
  z.string(),
  lossCaseSchema.extend({ temperature: z.number().positive() }),
);

/**
 * Reads reference.json and reference.safetensors of a folder, and temperature.json and temperature.safetensors if they
 * exist.
 * @throws {LearnerError} REFERENCE_INVALID, naming the field; {ModelError} FILE_DAMAGED
 */
export async function readReferenceNumbers(folder: string): Promise<ReferenceNumbers> {
  const path = join(folder, "reference.json");
  const numbers = parse(
    path,
    await readFile(path, "utf8").catch((cause: unknown) =>
      refuse(path, `cannot be read (${reasonText(cause)}); give the folder of a reference`, cause),
    ),
    numbersSchema,
  );
  const tensorPath = join(folder, "reference.safetensors");
  const tensors = await readSafetensors(tensorPath).catch((cause: unknown) =>
    refuse(tensorPath, `cannot be read (${reasonText(cause)}); give the folder of a reference`, cause),
  );
  const ids = tensors["input_ids"] ?? refuse(tensorPath, "has no input_ids");
  const [rows = 0, length = 0] = ids.shape;
  const width = length - 1;
  if (rows !== numbers.advantages.length) {
    refuse(path, `has ${numbers.advantages.length} advantages for ${rows} rows of input_ids`);
  }
  const perToken = perTokenOf(tensorPath, tensors, rows, width);
  const attention = (tensors["attention_mask"] ?? refuse(tensorPath, "has no attention_mask")).values;
  const batch: ReferenceBatch = {
    rows,
    width,
    advantages: numbers.advantages,
    temperature: 1,
    gradientCase: GRADIENT_CASE,
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
    gradients: withPrefix(tensors, "grad."),
  };
  return {
    ...batch,
    adamw: numbers.adamw,
    greedy: { prompt: numbers.greedy_prompt, continuation: numbers.greedy_continuation },
    logprobsAfterAdamw: perToken("logprobs_after_adamw"),
    atTemperatures: await readTemperatures(folder, batch),
  };
}

async function readTemperatures(folder: string, batch: ReferenceBatch): Promise<readonly ReferenceBatch[]> {
  const path = join(folder, "temperature.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    return refuse(path, `cannot be read (${reasonText(cause)}); give the folder of a reference`, cause);
  }
  const cases = parse(path, text, temperaturesSchema);
  const tensorPath = join(folder, "temperature.safetensors");
  const tensors = await readSafetensors(tensorPath).catch((cause: unknown) =>
    refuse(tensorPath, `cannot be read (${reasonText(cause)}); give the folder of a reference`, cause),
  );
  const perToken = perTokenOf(tensorPath, tensors, batch.rows, batch.width);
  return Object.entries(cases).map(([key, { temperature, ...lossCase }]): ReferenceBatch => {
    const gradients = withPrefix(tensors, `${key}.grad.`);
    return {
      ...batch,
      temperature,
      losses: new Map([[key, lossCase]]),
      gradientCase: Object.keys(gradients).length > 0 ? key : undefined,
      logprobs: perToken(`${key}.logprobs`),
      entropy: perToken(`${key}.entropy`),
      oldLogprobs: perToken(`${key}.old_logprobs`),
      refLogprobs: perToken(`${key}.ref_logprobs`),
      gradients,
    };
  });
}

type Stored = Readonly<Record<string, StoredTensor>>;

function perTokenOf(path: string, tensors: Stored, rows: number, width: number) {
  return (name: string): Float32Array => {
    const { shape, values } = tensors[name] ?? refuse(path, `has no ${name}`);
    if (shape[0] !== rows || shape[1] !== width) {
      refuse(path, `${name} is [${shape.join(", ")}] where [${rows}, ${width}] is expected`);
    }
    return Float32Array.from(values);
  };
}

function withPrefix(tensors: Stored, prefix: string): Stored {
  return Object.fromEntries(
    Object.entries(tensors).flatMap(([name, tensor]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : [],
    ),
  );
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

function parse<T>(path: string, text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(parseJson(text));
  } catch (cause) {
    const what =
      cause instanceof z.ZodError
        ? z.prettifyError(cause).split("\n").join(" ")
        : `is not JSON: ${reasonText(cause)}`;
    return refuse(path, what, cause);
  }
}

function refuse(path: string, what: string, cause?: unknown): never {
  throw new LearnerError("REFERENCE_INVALID", `${path}: ${what}`, { cause });
}
