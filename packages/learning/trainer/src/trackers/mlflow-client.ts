import { EngineError, engineConfigSchema, HttpClient } from "@palimpsest/engines";
import { z } from "zod";

export interface MlflowMetric {
  readonly key: string;
  readonly value: number;
  readonly timestamp: number;
  readonly step: number;
}

export interface MlflowText {
  readonly key: string;
  readonly value: string;
}

/** Run states by MLflow's names. */
export type MlflowStatus = "RUNNING" | "FINISHED" | "FAILED" | "KILLED";

/** Limits of one request to log-batch. Source: MLflow's REST API, "Log Batch". */
export const batchLimits = { metrics: 1000, params: 100, keyCharacters: 250, valueCharacters: 500 } as const;

const experimentSchema = z.object({
  experiment: z.object({ experiment_id: z.string(), lifecycle_stage: z.string().default("active") }),
});
const createdSchema = z.object({ experiment_id: z.string() });
const runSchema = z.object({ info: z.object({ run_id: z.string() }) });
const searchSchema = z.object({ runs: z.array(runSchema).default([]) });

const callTimeoutMs = 10_000;
const runIdTag = "palimpsest.run_id";

/** The six calls of MLflow's REST API that a run needs. One attempt each: the tracker knows how long to go on. */
export class MlflowClient {
  readonly #client: HttpClient;
  readonly #base: string;

  /** @param authorization value of the header, such as `Bearer …`; never logged */
  constructor(address: string, authorization: string | undefined) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const limits = { timeoutMs: callTimeoutMs, attemptTimeoutMs: callTimeoutMs, maxAttempts: 1 };
    const config = engineConfigSchema.parse({ url: address, headers, ...limits });
    this.#client = new HttpClient(config, { usesProxies: true });
    this.#base = `${new URL(address).pathname.replace(/\/+$/, "")}/api/2.0/mlflow`;
  }

  /** Returns the id of the experiment with that name, which is created if it is missing. */
  async experiment(name: string, signal: AbortSignal): Promise<string> {
    const path = `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`;
    try {
      const { experiment } = experimentSchema.parse(await this.#call(path, undefined, signal));
      if (experiment.lifecycle_stage === "active") return experiment.experiment_id;
      const message = `experiment "${name}" was deleted on the server; restore it, or set another`;
      throw new EngineError("REFUSED", message);
    } catch (reason) {
      if (!says(reason, "RESOURCE_DOES_NOT_EXIST")) throw reason;
    }
    try {
      const created = await this.#call("experiments/create", { name }, signal);
      return createdSchema.parse(created).experiment_id;
    } catch (reason) {
      // Another run of a sweep has created it since the lookup.
      if (!says(reason, "RESOURCE_ALREADY_EXISTS")) throw reason;
      const { experiment } = experimentSchema.parse(await this.#call(path, undefined, signal));
      return experiment.experiment_id;
    }
  }

  /** Returns the MLflow run for this training run: found by its tag, or created. */
  async run(
    experimentId: string,
    { runId, name, startedAtMs }: { runId: string; name: string; startedAtMs: number },
    signal: AbortSignal,
  ): Promise<string> {
    const query = {
      experiment_ids: [experimentId],
      filter: `tags."${runIdTag}" = '${runId}'`,
      max_results: 1,
    };
    const { runs } = searchSchema.parse(await this.#call("runs/search", query, signal));
    const [known] = runs;
    if (known !== undefined) {
      await this.setStatus(known.info.run_id, "RUNNING", undefined, signal);
      return known.info.run_id;
    }
    const tags = [
      { key: runIdTag, value: runId },
      { key: "mlflow.source.name", value: "palimpsest" },
    ];
    const run = { experiment_id: experimentId, run_name: name, start_time: startedAtMs, tags };
    const created = await this.#call("runs/create", run, signal);
    return z.object({ run: runSchema }).parse(created).run.info.run_id;
  }

  async logBatch(
    run: string,
    batch: { readonly metrics?: readonly MlflowMetric[]; readonly params?: readonly MlflowText[] },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#call("runs/log-batch", { run_id: run, ...batch }, signal);
  }

  async setStatus(
    run: string,
    status: MlflowStatus,
    endTimeMs: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const end = endTimeMs === undefined ? {} : { end_time: endTimeMs };
    await this.#call("runs/update", { run_id: run, status, ...end }, signal);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Posts a body, or gets what is at the path if there is none. @throws {EngineError}; the signal's reason */
  async #call(path: string, body: object | undefined, signal: AbortSignal): Promise<unknown> {
    const whole = `${this.#base}/${path}`;
    if (body === undefined) return await this.#client.get(whole, { signal });
    return await this.#client.post(whole, body, { signal });
  }
}

const says = (reason: unknown, words: string) => reason instanceof EngineError && reason.words === words;

/**
 * The authorization header for MLflow, from the variables that its own clients read: MLFLOW_TRACKING_TOKEN, or
 * MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD. Undefined if none is set.
 */
export function mlflowAuthorization(environment: NodeJS.ProcessEnv): string | undefined {
  const token = environment["MLFLOW_TRACKING_TOKEN"];
  if (token) return `Bearer ${token}`;
  const name = environment["MLFLOW_TRACKING_USERNAME"];
  const password = environment["MLFLOW_TRACKING_PASSWORD"];
  if (!name || !password) return undefined;
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
}
