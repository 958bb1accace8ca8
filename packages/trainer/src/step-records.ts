/** Responsibility: what is written of a run's last steps: what each was given, and its episodes as text.
 *  Not responsible for: checkpoints and their log (learner-saves.ts). */
import type { ActorContext } from "@palimpsest/client";
import { type WrittenDump, writeStepDump } from "@palimpsest/learner";
import type { BpeTokenizer } from "@palimpsest/model";
import type { Group } from "@palimpsest/trajectories";
import { decodeModelText, openModelText } from "./model-text.js";
import { dumpDirOf, tracesDirOf } from "./run-paths.js";
import type { RunSpec } from "./run-spec.js";
import type { StepRequest } from "./step-result.js";
import { writeStepTraces } from "./step-traces.js";

type OnDisk = <T>(write: () => Promise<T>) => Promise<T>;

export class StepRecords {
  readonly #spec: RunSpec;
  readonly #context: ActorContext;
  readonly #onDisk: OnDisk;
  #tokenizer: BpeTokenizer | undefined;

  /** @param onDisk runs what writes to the run's folder, and waits for space there */
  constructor(spec: RunSpec, context: ActorContext, onDisk: OnDisk) {
    this.#spec = spec;
    this.#context = context;
    this.#onDisk = onDisk;
  }

  /** What the step is given, on disk before it trains: a step that fails can be looked at. */
  async dump(
    { step, shuffleRewards }: StepRequest,
    given: { readonly policyVersion: number; readonly groups: readonly Group[] },
  ): Promise<WrittenDump | undefined> {
    const { recipe, checkpointDir } = this.#spec;
    const { keepStepDumps, checkpointEverySteps } = recipe.train;
    // The log takes the step's dump over when the step is trained.
    const keepLast = Math.max(keepStepDumps, checkpointEverySteps > 1 ? 1 : 0);
    if (keepLast === 0) return undefined;
    const dump = { ...given, shuffleRewards };
    return await this.#onDisk(() => writeStepDump(dumpDirOf(checkpointDir), step, dump, { keepLast }));
  }

  /** For people: a step is done whether they can be written or not. */
  async trace({ step, tasks = [] }: StepRequest, groups: readonly Group[]): Promise<void> {
    const { recipe, checkpointDir, runId } = this.#spec;
    const keepLast = recipe.train.keepTraces;
    if (keepLast === 0) return;
    try {
      this.#tokenizer ??= await this.#readTokenizer();
      const folder = tracesDirOf(checkpointDir);
      const tokenizer = this.#tokenizer;
      const detail = recipe.train.traceDetail;
      await writeStepTraces(folder, { runId, step, groups, tasks, tokenizer, detail }, { keepLast });
    } catch (reason) {
      this.#context.logger.warn({ err: reason, step }, "the step's traces were not written");
    }
  }

  async #readTokenizer(): Promise<BpeTokenizer> {
    const text = decodeModelText(await this.#context.objects.get(this.#spec.text));
    return openModelText(text, this.#spec.startedAtMs).tokenizer;
  }
}
