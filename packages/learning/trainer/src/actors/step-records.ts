/** Responsibility: records of a run's last steps: the input of each, and its episodes as text.
 *  Not responsible for: checkpoints and their log (learner-saves.ts). */
import type { ActorContext } from "@palimpsest/client";
import { type LossConfig, TrainedTokens, type WrittenDump, writeStepDump } from "@palimpsest/learner";
import type { BpeTokenizer } from "@palimpsest/model";
import type { Group } from "@palimpsest/trajectories";
import type { StepBatch } from "../groups/step-groups.js";
import { decodeModelText, openModelText } from "../parts/model-text.js";
import type { RunSpec } from "../records/run-spec.js";
import type { StepRequest } from "../records/step-result.js";
import { writeStepTraces } from "../records/step-traces.js";
import { dumpDirOf, tracesDirOf } from "../run-folder/run-paths.js";

type OnDisk = <T>(write: () => Promise<T>) => Promise<T>;

export class StepRecords {
  readonly #spec: RunSpec;
  readonly #context: ActorContext;
  readonly #onDisk: OnDisk;
  #tokenizer: BpeTokenizer | undefined;
  #tokens: TrainedTokens | undefined;

  /** @param onDisk runs functions that write to the run's folder, and waits for disk space */
  constructor(spec: RunSpec, context: ActorContext, onDisk: OnDisk) {
    this.#spec = spec;
    this.#context = context;
    this.#onDisk = onDisk;
  }

  /** Writes the step's input to disk before it trains, so that a failed step can be inspected. */
  async dump(
    { step, shuffleRewards }: StepRequest,
    given: { readonly policyVersion: number; readonly groups: readonly Group[] },
  ): Promise<WrittenDump | undefined> {
    const { recipe, checkpointDir } = this.#spec;
    const { keepStepDumps, checkpointEverySteps } = recipe.train;
    // The log of steps takes ownership of the dump once the step is trained.
    const keepLast = Math.max(keepStepDumps, checkpointEverySteps > 1 ? 1 : 0);
    if (keepLast === 0) return undefined;
    const dump = { ...given, shuffleRewards };
    return await this.#onDisk(() => writeStepDump(dumpDirOf(checkpointDir), step, dump, { keepLast }));
  }

  /** Collects the update's figures per token: ratios only if traces contain the tokens; undefined: there are no traces. */
  tokens(loss: LossConfig): TrainedTokens | undefined {
    const { keepTraces, traceDetail } = this.#spec.recipe.train;
    this.#tokens =
      keepTraces === 0 ? undefined : new TrainedTokens(loss, traceDetail === "tokens" ? undefined : 0);
    return this.#tokens;
  }

  /** Writes traces for people to read; a failure to write them does not fail the step. */
  async trace({ step, tasks = [] }: StepRequest, batch: StepBatch): Promise<void> {
    const { recipe, checkpointDir, runId } = this.#spec;
    const keepLast = recipe.train.keepTraces;
    if (keepLast === 0) return;
    try {
      this.#tokenizer ??= await this.#readTokenizer();
      const folder = tracesDirOf(checkpointDir);
      const tokenizer = this.#tokenizer;
      const detail = recipe.train.traceDetail;
      const told = { runId, step, ...batch, tasks, tokenizer, detail, trained: this.#tokens };
      await writeStepTraces(folder, told, { keepLast });
    } catch (reason) {
      this.#context.logger.warn({ err: reason, step }, "the step's traces were not written");
      this.#context.metrics.counter("palimpsest_learner_records_dropped_total").inc({ kind: "traces" });
    } finally {
      this.#tokens = undefined;
    }
  }

  async #readTokenizer(): Promise<BpeTokenizer> {
    const text = decodeModelText(await this.#context.objects.get(this.#spec.text));
    return openModelText(text, this.#spec.startedAtMs).tokenizer;
  }
}
