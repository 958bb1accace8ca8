import type { ActorContext } from "@palimpsest/client";
import { fetchFloats, type Parameters } from "../../packages/learning/trainer/src/weights/weights.js";

/** The actor that the bench calls: it loads weights as rollout actors do, into the arrays of the previous version. */
export class WeightsLoader {
  #context: ActorContext | undefined;
  #parameters: Parameters = {};

  start(context: ActorContext): void {
    this.#context = context;
  }

  /**
   * @param reused whether the arrays of the previous version are filled again
   * @returns the first value of the first tensor
   */
  async load(manifest: unknown, reused: boolean): Promise<number> {
    if (this.#context === undefined) throw new Error("the actor has not started");
    const into = reused ? this.#parameters : {};
    this.#parameters = await fetchFloats(this.#context.objects, manifest as object, into);
    return Object.values(this.#parameters)[0]?.[0] ?? Number.NaN;
  }
}
