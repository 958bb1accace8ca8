import { resolve } from "node:path";
import { askTeacher, demonstrationSettingsSchema, superviseModel } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import { counted } from "../display/count.js";
import { modelPath } from "../models/model-input.js";
import { sftOutput } from "./run-output.js";

export interface DemonstrationFlags {
  readonly json?: boolean;
  readonly data: string;
  readonly model?: string;
  readonly ignoreConfig?: readonly string[];
  readonly out?: string;
  readonly seed?: number;
  readonly epochs?: number;
  readonly batch?: number;
  readonly maxTokens?: number;
  readonly tooLong?: "refuse" | "skip";
  readonly learningRate?: number;
  readonly lora?: number;
  readonly threads?: number;
  readonly teacher?: string;
  readonly teacherModel?: string;
  readonly prompts?: string;
  readonly samples?: number;
  readonly temperature?: number;
  readonly answerTokens?: number;
}

/** Runs `train sft` without a base recipe: queries the teacher if one is given, then trains if a model is given. */
export async function trainDemonstrations(flags: DemonstrationFlags, signal: AbortSignal): Promise<void> {
  const say = (text: string) => void (flags.json ? process.stderr : process.stdout).write(`${text}\n`);
  const asksTeacher = flags.teacher !== undefined || flags.prompts !== undefined;
  const teacher = asksTeacher ? { teacher: await askForDemonstrations(flags, say, signal) } : {};
  const { model, out, data, lora, threads } = flags;
  if (model === undefined || out === undefined) {
    if (flags.json) sftOutput.print(teacher);
    return;
  }
  const { seed, epochs, batch, maxTokens, tooLong, learningRate } = flags;
  const given = { seed, epochs, batch, maxTokens, tooLong, learningRate };
  const settings = demonstrationSettingsSchema.parse({
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    demonstrations: resolve(data),
    ...(lora === undefined ? {} : { lora: { rank: lora, alpha: 2 * lora } }),
  });
  let told = 0;
  const made = await superviseModel({
    modelFolder: await modelPath(model),
    ignoreConfig: flags.ignoreConfig,
    settings,
    outDir: resolve(out),
    threads: threads ?? 2,
    signal,
    onProgress: ({ step, steps, loss, tokensPerSecond }) => {
      const share = Math.floor((20 * step) / steps);
      if (share === told && step !== 1) return;
      told = share;
      say(`step ${step}/${steps}  loss ${loss.toFixed(4)}  ${Math.round(tokensPerSecond)} tokens/s`);
    },
  });
  const left = made.skipped === 0 ? "" : `, ${made.skipped} left out as too long`;
  const form = made.templated ? "with the model's chat template" : "as plain text";
  say(
    `${counted(made.rows, "answer")} ${form}${left}; ${counted(made.steps, "step")}; weights ${made.weightsHash.slice(0, 12)}`,
  );
  if (!flags.json) return say(resolve(out));
  const { weightsHash, steps, rows, skipped } = made;
  sftOutput.print({ ...teacher, model: { folder: resolve(out), weightsHash, steps, rows, skipped } });
}

async function askForDemonstrations(
  flags: DemonstrationFlags,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<{ readonly data: string; readonly asked: number; readonly kept: number; readonly cut: number }> {
  const { teacher, teacherModel, prompts, samples, temperature, answerTokens, seed, data } = flags;
  if (teacher === undefined || prompts === undefined)
    throw new PalimpsestError("INVALID_ARGUMENT", "--teacher and --prompts need each other; give both");
  const apiKey = process.env["OPENAI_API_KEY"];
  let told = -1;
  const { asked, kept, cut } = await askTeacher({
    endpoint: {
      url: teacher,
      ...(teacherModel === undefined ? {} : { model: teacherModel }),
      ...(apiKey ? { apiKey } : {}),
    },
    prompts,
    out: data,
    samples: samples ?? 1,
    maxTokens: answerTokens ?? 1024,
    temperature: temperature ?? 0.7,
    seed: seed ?? 1,
    concurrency: 16,
    signal,
    onProgress: (done, total) => {
      const share = Math.floor((20 * done) / total);
      if (share === told) return;
      told = share;
      say(`teacher: ${done} of ${total} answers`);
    },
  });
  say(
    `${data}: ${asked} answers requested, ${kept} were already there; ${cut} were left out as too long or empty`,
  );
  return { data, asked, kept, cut };
}
