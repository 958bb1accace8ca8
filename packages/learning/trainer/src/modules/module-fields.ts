import type { Recipe } from "../recipe/recipe-schema.js";

/** The roles of modules. */
export const moduleRoles = ["agent", "reward", "data", "advantage"] as const;
export type ModuleRole = (typeof moduleRoles)[number];

/** A field of a recipe that names a module. */
export interface ModuleField {
  readonly role: ModuleRole;
  /** Its name in errors, such as "learner.advantage". */
  readonly field: string;
  /** A path, or a `data:` URL of a finished bundle. */
  readonly module: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The paths of modules in YAML documents, by role. */
export const modulePaths: Readonly<Record<ModuleRole, readonly string[]>> = {
  agent: ["agent", "module"],
  reward: ["reward", "module"],
  data: ["data", "module"],
  advantage: ["learner", "advantage", "module"],
};

/** Returns every module that a recipe names. */
export function moduleFields({ agent, reward, data, learner }: Recipe): readonly ModuleField[] {
  const { advantage } = learner;
  const fields: ModuleField[] = [];
  if (agent.kind === "module")
    fields.push({ role: "agent", field: "agent", module: agent.module, settings: agent.config });
  if (reward.config.name === "module") {
    const { module, settings } = reward.config;
    fields.push({ role: "reward", field: "reward", module, settings });
  }
  if ("module" in data)
    fields.push({ role: "data", field: "data", module: data.module, settings: data.settings });
  if (advantage !== undefined && "module" in advantage) {
    const { module, settings } = advantage;
    fields.push({ role: "advantage", field: "learner.advantage", module, settings });
  }
  return fields;
}

/** Returns the recipe with its modules renamed. */
export function withModuleNames(
  recipe: Recipe,
  nameOf: (role: ModuleRole, module: string) => string,
): Recipe {
  const { agent, reward, data, learner } = recipe;
  const { config } = reward;
  const { advantage } = learner;
  return {
    ...recipe,
    agent: agent.kind === "module" ? { ...agent, module: nameOf("agent", agent.module) } : agent,
    reward: {
      ...reward,
      config: config.name === "module" ? { ...config, module: nameOf("reward", config.module) } : config,
    },
    data: "module" in data ? { ...data, module: nameOf("data", data.module) } : data,
    learner:
      advantage !== undefined && "module" in advantage
        ? { ...learner, advantage: { ...advantage, module: nameOf("advantage", advantage.module) } }
        : learner,
  };
}
