import { contestantSettings } from "./create-contestant.js";
import { type ContestantSettings, type EvalSettings, parseEvalSettings } from "./eval-settings.js";

/**
 * The settings with one replaced: `reader.NAME`, `answer.NAME`, a name of the file's top level, or `CONTESTANT.NAME`, which
 * is a setting of an agent or of how a baseline reads; `CONTESTANT.preset` is an agent's preset,
 * `trained.recipe` the recipe of a trained one.
 * @throws {EvaluationError} BAD_CONFIG
 */
export function overrideSetting(settings: EvalSettings, path: string, value: unknown): EvalSettings {
  const at = path.indexOf(".");
  const [head, name] = at < 0 ? ["", path] : [path.slice(0, at), path.slice(at + 1)];
  const changed =
    head === ""
      ? { ...settings, [name]: value }
      : head === "reader" || head === "answer"
        ? { ...settings, [head]: { ...settings[head], [name]: value } }
        : {
            ...settings,
            contestants: {
              ...settings.contestants,
              [head]: overrideContestant(contestantSettings(head, settings), name, value),
            },
          };
  return parseEvalSettings(changed, path);
}

function overrideContestant(contestant: ContestantSettings, name: string, value: unknown): object {
  if (contestant.kind !== "agent" && contestant.kind !== "trained") {
    return { ...contestant, reader: { ...contestant.reader, [name]: value } };
  }
  const own = ["memories", "by", contestant.kind === "agent" ? "preset" : "recipe"];
  if (own.includes(name)) return { ...contestant, [name]: value };
  return { ...contestant, settings: { ...contestant.settings, [name]: value } };
}
