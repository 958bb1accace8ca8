import { withDeadline } from "@palimpsest/std";
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

/** A failed call. It is not retryable if the server rejected it as invalid. */
export class MlflowFailure extends Error {
  readonly retryable: boolean;
  /** MLflow's error code, such as RESOURCE_DOES_NOT_EXIST. */
  readonly code: string;

  constructor(message: string, { retryable, code = "" }: { retryable: boolean; code?: string }) {
    super(message);
    this.name = "MlflowFailure";
    this.retryable = retryable;
    this.code = code;
  }
}

const errorSchema = z.object({ error_code: z.string(), message: z.string().default("") });
const experimentSchema = z.object({
  experiment: z.object({ experiment_id: z.string(), lifecycle_stage: z.string().default("active") }),
});
const createdSchema = z.object({ experiment_id: z.string() });
const runSchema = z.object({ info: z.object({ run_id: z.string() }) });
const searchSchema = z.object({ runs: z.array(runSchema).default([]) });

const callTimeoutMs = 10_000;
const runIdTag = "palimpsest.run_id";

/** The six calls of MLflow's REST API that a run needs. */
export class MlflowClient {
  readonly #address: string;
  readonly #authorization: string | undefined;

  /** @param authorization value of the header, such as `Bearer …`; never logged */
  constructor(address: string, authorization: string | undefined) {
    this.#address = address.replace(/\/+$/, "");
    this.#authorization = authorization;
  }

  /** Returns the id of the experiment with that name, which is created if it is missing. */
  async experiment(name: string, signal: AbortSignal): Promise<string> {
    const path = `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`;
    try {
      const { experiment } = experimentSchema.parse(await this.#call("GET", path, undefined, signal));
      if (experiment.lifecycle_stage === "active") return experiment.experiment_id;
      const message = `experiment "${name}" was deleted on the server; restore it, or set another`;
      throw new MlflowFailure(message, { retryable: false });
    } catch (reason) {
      if (!(reason instanceof MlflowFailure) || reason.code !== "RESOURCE_DOES_NOT_EXIST") throw reason;
    }
    try {
      const created = await this.#call("POST", "experiments/create", { name }, signal);
      return createdSchema.parse(created).experiment_id;
    } catch (reason) {
      // Another run of a sweep has created it since the lookup.
      if (!(reason instanceof MlflowFailure) || reason.code !== "RESOURCE_ALREADY_EXISTS") throw reason;
      const { experiment } = experimentSchema.parse(await this.#call("GET", path, undefined, signal));
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
    const { runs } = searchSchema.parse(await this.#call("POST", "runs/search", query, signal));
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
    const created = await this.#call("POST", "runs/create", run, signal);
    return z.object({ run: runSchema }).parse(created).run.info.run_id;
  }

  async logBatch(
    run: string,
    batch: { readonly metrics?: readonly MlflowMetric[]; readonly params?: readonly MlflowText[] },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#call("POST", "runs/log-batch", { run_id: run, ...batch }, signal);
  }

  async setStatus(
    run: string,
    status: MlflowStatus,
    endTimeMs: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const end = endTimeMs === undefined ? {} : { end_time: endTimeMs };
    await this.#call("POST", "runs/update", { run_id: run, status, ...end }, signal);
  }

  /** @throws {MlflowFailure}; the signal's reason */
  async #call(method: string, path: string, body: object | undefined, signal: AbortSignal): Promise<unknown> {
    const url = `${this.#address}/api/2.0/mlflow/${path}`;
    let response: Response;
    let text: string;
    try {
      [response, text] = await withDeadline(
        { timeoutMs: callTimeoutMs, signals: [signal] },
        async (within) => {
          const answer = await fetch(url, {
            method,
            headers: {
              "content-type": "application/json",
              ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            // A redirect must not send the token to another address.
            redirect: "error",
            signal: within,
          });
          return [answer, await answer.text()] as const;
        },
      );
    } catch (reason) {
      signal.throwIfAborted();
      throw new MlflowFailure(`${this.#address} cannot be reached: ${causeOf(reason)}`, { retryable: true });
    }
    if (response.ok) return jsonOf(text);
    const told = errorSchema.safeParse(jsonOf(text));
    const { error_code: code, message } = told.data ?? { error_code: "", message: text.slice(0, 200) };
    const retryable = response.status >= 500 || response.status === 429 || response.status === 408;
    throw new MlflowFailure(
      `${this.#address} answered ${method} ${path} with status ${response.status}: ${message}`,
      {
        retryable,
        code,
      },
    );
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function causeOf(reason: unknown): string {
  const cause = reason instanceof Error && reason.cause instanceof Error ? reason.cause : reason;
  return cause instanceof Error ? cause.message : String(cause);
}
