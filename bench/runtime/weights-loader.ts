import type { ActorContext } from "@palimpsest/client";
import type { fetchFloats, Parameters } from "../../packages/learning/trainer/src/weights/weights.js";

/** The actor that the bench calls: it loads weights as rollout actors do, into the arrays of the previous version. */
export class WeightsLoader {
  readonly #loading: Promise<{ readonly fetchFloats: typeof fetchFloats }>;
  #context: ActorContext | undefined;
  #parameters: Parameters = {};

  /** @param weightsUrl the built weights.ts, because what a node bundles may not import all that it does */
  constructor(weightsUrl: string) {
    this.#loading = import(weightsUrl);
  }

  start(context: ActorContext): void {
    this.#context = context;
  }

  /**
   * @param reused whether the arrays of the previous version are filled again
   * @returns the first value of the first tensor
   */
  async load(manifest: unknown, reused: boolean): Promise<number> {
    if (this.#context === undefined) throw new Error("the actor has not started");
    const { fetchFloats } = await this.#loading;
    const into = reused ? this.#parameters : {};
    this.#parameters = await fetchFloats(this.#context.objects, manifest as object, into);
    return Object.values(this.#parameters)[0]?.[0] ?? Number.NaN;
  }
}
