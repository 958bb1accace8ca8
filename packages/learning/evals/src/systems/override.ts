import { systemSettings } from "./create-system.js";
import { type EvalSettings, parseEvalSettings, type SystemSettings } from "./eval-settings.js";

/**
 * Returns the settings with one of them replaced. The path is a name at the file's top level, `reader.NAME`,
 * `answer.NAME`, or `SYSTEM.NAME` for a setting of an agent or of a baseline's reader. `SYSTEM.preset` is an agent's
 * preset, and `trained.recipe` the recipe of a trained agent.
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
            systems: {
              ...settings.systems,
              [head]: overrideSystem(systemSettings(head, settings), name, value),
            },
          };
  return parseEvalSettings(changed, path);
}

function overrideSystem(system: SystemSettings, name: string, value: unknown): object {
  if (system.kind !== "agent" && system.kind !== "trained") {
    return { ...system, reader: { ...system.reader, [name]: value } };
  }
  const own = ["memories", "by", system.kind === "agent" ? "preset" : "recipe"];
  if (own.includes(name)) return { ...system, [name]: value };
  return { ...system, settings: { ...system.settings, [name]: value } };
}
