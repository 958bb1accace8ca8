import { basename, resolve } from "node:path";
import type { ModelFolder } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { z } from "zod";
import { counted } from "../../display/count.js";
import { JsonOutput } from "../../display/json-output.js";
import { withLoadingScreen } from "../../display/loading-screen.js";
import { existingFolder } from "../../input/existing-path.js";
import { parseAmount, parseCount, parsePort, parseWhole } from "../../input/key-values.js";
import { type LogFlags, logFormat, logFormatOption, logLevelOption } from "../../input/log-level.js";
import { stopSignal } from "../../input/signals.js";
import { type BackendChoice, backendOption } from "../../models/backend-option.js";
import { modelCache } from "../../models/model-cache.js";
import { modelArgument, withIgnoreConfig } from "../../models/model-input.js";
import { type SingleWeights, singleWeightsOption } from "../../models/single-weights.js";
import { type LogprobsMode, logprobsModes } from "../../serve/token-logprobs.js";

interface ServeFlags extends LogFlags {
  readonly name?: string;
  readonly tokenizer?: string;
  readonly ignoreConfig?: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly maxLength?: number;
  readonly parallel: number;
  readonly maxWaiting: number;
  readonly maxChoices: number;
  readonly maxBodyBytes: number;
  readonly deadlineSeconds: number;
  readonly graceSeconds: number;
  readonly tls?: string;
  readonly weightsFrom?: string;
  readonly logprobsMode: LogprobsMode;
  readonly singleWeights: SingleWeights;
  readonly insecure?: boolean;
  readonly cors?: readonly string[];
  readonly backend: BackendChoice;
  readonly device: "auto" | "gpu";
  readonly json?: boolean;
}

const output = new JsonOutput(
  () =>
    z.strictObject({
      event: z.literal("ready"),
      model: z.string(),
      backend: z.string(),
      gpu: z.boolean(),
      precision: z.string(),
      maxLength: z.int().describe("tokens of prompt and answer"),
      weights: z.string(),
      url: z.string(),
      needsKey: z.boolean(),
    }),
  { lines: true },
);

/** The token is read from the environment, because a flag would be visible in the process list. */
const tokenVariable = "PALIMPSEST_SERVE_TOKEN";

export function addServe(program: Command): void {
  withIgnoreConfig(program.command("serve"))
    .description(
      "serves a trained policy or a model with OpenAI's API: /v1/chat/completions, /v1/completions",
    )
    .argument(
      "<model>",
      `folder of a run (its newest checkpoint) or of one checkpoint, or a model: ${modelArgument}`,
    )
    .option("--name <name>", "name of the model for clients; default: the last part of <model>")
    .option("--tokenizer <path>", "for a run's folder: the model folder whose tokenizer it uses")
    .option(
      "--host <address>",
      `address to listen on; beyond loopback it needs --tls or --insecure, and ${tokenVariable} in the environment`,
      "127.0.0.1",
    )
    .option("--port <port>", "port to listen on; 0: a free one", parsePort, 8000)
    .option(
      "--max-length <tokens>",
      "maximum tokens of prompt and answer together; default: the model's limit, at most 4096",
      parseCount,
    )
    .option("--parallel <n>", "number of answers that are sampled at once", parseCount, 16)
    .option(
      "--max-waiting <n>",
      "number of further answers that may wait; one more is answered 429",
      parseWhole,
      64,
    )
    .option("--max-choices <n>", "maximum of prompts times n in one request", parseCount, 16)
    .option("--max-body-bytes <n>", "maximum size of a request", parseCount, 4 * 1024 * 1024)
    .option(
      "--deadline-seconds <s>",
      "deadline of one request, after which it is answered 504",
      parseAmount,
      600,
    )
    .option(
      "--grace-seconds <s>",
      "time that running requests get when the server is stopped",
      parseAmount,
      30,
    )
    .option("--tls <folder>", "ca.crt, tls.crt and tls.key, made by `palimpsest certs`: serves https")
    .option(
      "--weights-from <folder>",
      "folder from which other weights can be loaded while serving, with the requests of vLLM's development mode; default: none",
    )
    .addOption(
      new Option(
        "--logprobs-mode <mode>",
        "log-probs in answers: raw_logprobs, the model's own, or processed_logprobs, after temperature and truncation, as in vLLM",
      )
        .choices(logprobsModes)
        .default("raw_logprobs"),
    )
    .addOption(singleWeightsOption())
    .option(
      "--cors <origin...>",
      "pages that may use the server from a browser, such as https://app.example, or * for every page; default: none",
    )
    .option("--insecure", "listen beyond loopback without TLS, in a trusted network")
    .addOption(backendOption())
    .addOption(
      new Option("--device <name>", "gpu: a GPU or an error; auto: the CPU where there is no GPU")
        .choices(["auto", "gpu"])
        .default("auto"),
    )
    .addOption(output.option())
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .action(serve);
}

async function serve(from: string, flags: ServeFlags): Promise<void> {
  const [{ accessGuard }, { parseServeSettings }, { ModelServer }, { ServedModel }] = await Promise.all([
    import("../../serve/access-guard.js"),
    import("../../serve/settings.js"),
    import("../../serve/server.js"),
    import("../../serve/served-model.js"),
  ]);
  const { createLogger, createMetrics } = await import("@palimpsest/telemetry");
  const { loadTls, watchTls } = await import("@palimpsest/wire");
  const { loadBackend } = await import("@palimpsest/jit");
  const { exportSampler } = await import("@palimpsest/trainer");
  const { host, port, parallel, maxWaiting, tls: tlsFolder } = flags;
  // Settings are validated before minutes are spent on loading.
  const { weightsFrom } = flags;
  if (weightsFrom !== undefined)
    existingFolder(weightsFrom, `--weights-from ${weightsFrom}`, "name the folder that has the weights");
  const settings = parseServeSettings({
    maxBatch: parallel,
    maxWaiting,
    maxChoices: flags.maxChoices,
    maxBodyBytes: flags.maxBodyBytes,
    deadlineMs: Math.ceil(flags.deadlineSeconds * 1000),
    graceMs: Math.ceil(flags.graceSeconds * 1000),
  });
  const token = process.env[tokenVariable] || undefined;
  const tls = tlsFolder === undefined ? undefined : loadTls(tlsFolder);
  const guard = accessGuard({ host, token, tls: tls !== undefined, insecure: flags.insecure ?? false });
  const stop = stopSignal();
  const logger = createLogger({ component: "serve", level: flags.logLevel, format: logFormat(flags) });
  const metrics = createMetrics({ component: "serve" });

  const { model, backend } = await withLoadingScreen(`loading ${from} …`, process.stderr, async () => {
    const { policyVersion, ...folder } = await readServed(from, flags);
    const backend = await loadBackend({ prefer: flags.backend, device: flags.device });
    const { maxLength } = flags;
    const name = flags.name ?? basename(resolve(from));
    const model = new ServedModel(folder, {
      name,
      policyVersion,
      backend,
      maxBatch: parallel,
      maxWaiting,
      logprobsMode: flags.logprobsMode,
      singleWeights: flags.singleWeights,
      ...(maxLength === undefined ? {} : { maxLength }),
    });
    return { model, backend };
  });
  if (backend.gpuUnused !== undefined) process.stderr.write(`warning: ${backend.gpuUnused}\n`);
  const series = exportSampler(metrics, model.sampler);
  const origins = flags.cors?.map(originOf) ?? [];
  const options = { host, port, settings, guard, tls, weightsFrom, origins, metrics, logger };
  const server = await ModelServer.start(model, options);
  const forget =
    tlsFolder === undefined
      ? undefined
      : watchTls({
          folder: tlsFolder,
          onChange: (next) => server.replaceTls(next),
          onError: (reason) => logger.warn({ err: reason }, "the renewed certificate cannot be used"),
        });
  if (flags.json)
    output.print({
      event: "ready",
      model: model.name,
      backend: backend.name,
      gpu: backend.gpu,
      precision: model.sampler.precision.precision,
      maxLength: model.maxLength,
      weights: model.fingerprint,
      url: `${server.url}/v1`,
      needsKey: token !== undefined,
    });
  else
    process.stdout.write(
      [
        `model    ${model.name} on ${backend.name}${backend.gpu ? " (GPU)" : ""} in ${model.sampler.precision.precision}, ${model.maxLength} tokens`,
        `weights  ${model.fingerprint}`,
        `serves   ${server.url}/v1`,
        `clients  ${token === undefined ? "everybody on this machine, without a key" : `with ${tokenVariable} as their API key`}`,
        "",
      ].join("\n"),
    );
  if (!stop.aborted) await new Promise((ended) => stop.addEventListener("abort", ended, { once: true }));
  const { running } = model.sampler.stats;
  if (running > 0)
    process.stderr.write(
      `stopping: ${counted(running, "answer")} in progress may take ${flags.graceSeconds} s more; Ctrl-C again ends them\n`,
    );
  forget?.();
  await server.close();
  series.close();
  await model.close();
}

/** Returns an origin as browsers send it. @throws {PalimpsestError} CONFIG_INVALID */
function originOf(text: string): string {
  if (text === "*") return text;
  const { origin } = URL.canParse(text) ? new URL(text) : { origin: "null" };
  if (origin === text.replace(/\/$/, "")) return origin;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `--cors: "${text}" is not an origin; give scheme, host and port, such as https://app.example or http://localhost:3000, or * for every page`,
  );
}

async function readServed(
  from: string,
  { tokenizer, ignoreConfig }: ServeFlags,
): Promise<ModelFolder & { readonly policyVersion: number }> {
  const { holdsRunModel, readRunModel } = await import("@palimpsest/trainer");
  if (holdsRunModel(from)) {
    const given = tokenizer === undefined ? {} : { tokenizerFrom: tokenizer };
    return await readRunModel(from, { ...modelCache(), ...given });
  }
  const { readModelInput } = await import("../../models/model-input.js");
  if (tokenizer !== undefined)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--tokenizer ${tokenizer}: only a run's folder needs one; ${from} is a model with its own`,
    );
  const folder = await readModelInput(from, ignoreConfig === undefined ? {} : { ignoreConfig });
  return { ...folder, policyVersion: 0 };
}
