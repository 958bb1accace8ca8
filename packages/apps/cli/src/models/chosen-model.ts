/**
 * Chooses the model that answers where a user names none.
 */
import {
  findKnownModel,
  type KnownModel,
  knownModels,
  type ModelPlaces,
  memoryNeeds,
} from "@palimpsest/model";
import { formatBytes } from "../display/bytes.js";
import { shippedAgentBase, shippedAgentName } from "./shipped-agent-name.js";

export interface ChosenModel {
  /** A known name. Absent: no better model than the shipped agent's is on this machine and fits into its memory. */
  readonly name?: string;
  /** One line for the user: what was chosen, why, and what would change it. */
  readonly note: string;
}

/**
 * Chooses the best known model that is on this machine and fits into free memory. Nothing is downloaded: the shipped
 * agent's base model is small, and every better one has gigabytes that nobody has asked for.
 * @param freeBytes memory that this process may take
 * @param models best first
 */
export async function chooseModel(
  places: ModelPlaces,
  freeBytes: number,
  models: Readonly<Record<string, KnownModel>> = knownModels,
): Promise<ChosenModel> {
  const free = `${formatBytes(freeBytes)} of memory free`;
  const better = Object.entries(models).filter(([name]) => name !== shippedAgentBase);
  const needs = ([, { config }]: (typeof better)[number]) => memoryNeeds(config).samplingInt8Bytes;
  const tooLarge: string[] = [];
  for (const model of better) {
    const [name] = model;
    if ((await findKnownModel(name, places)) === undefined) continue;
    const need = formatBytes(needs(model));
    const larger = tooLarge.length === 0 ? "" : `; too large: ${tooLarge.join(", ")}`;
    if (needs(model) <= freeBytes)
      return {
        name,
        note: `answers with ${name}, the best model on this machine that fits: it needs ${need}, with ${free}${larger} (--model names another)`,
      };
    tooLarge.push(`${name} needs ${need}`);
  }
  const fits = better.find((model) => needs(model) <= freeBytes && !("gated" in model[1] && model[1].gated));
  const hint =
    fits === undefined ? "" : `; \`palimpsest model download ${fits[0]}\` gets a better one that fits`;
  const larger = tooLarge.length === 0 ? "" : `, with ${free}; too large: ${tooLarge.join(", ")}`;
  return {
    note: `answers with ${shippedAgentName}, which comes along${larger}${hint} (--model names another)`,
  };
}
