/**
 * Responsibility: adds the field of the recipe, the file and the line to errors that a user's module throws during a
 *   run.
 * Not responsible for: handling these errors. Errors of this project that pass through a module stay unchanged, because
 *   their class and code decide how they are handled.
 */
import { join } from "node:path";
import type { Agent, AgentModule } from "@palimpsest/agents";
import type { DataModule } from "@palimpsest/datasets";
import type { AdvantageModule } from "@palimpsest/learner";
import { RewardError, type RewardModule } from "@palimpsest/rewards";
import { PalimpsestError, packageFolder } from "@palimpsest/wire";
import type { ModuleRole } from "./module-fields.js";

type Exported = AgentModule | RewardModule | DataModule | AdvantageModule;

export interface PlacedErrorsOptions {
  /** Field of the recipe, such as "reward". */
  readonly field: string;
  /** File name of the module, without folders. */
  readonly file: string;
  /** Folder of its source; "" if that is on another machine. */
  readonly sourceFolder: string;
}

export class PlacedErrors {
  readonly #options: PlacedErrorsOptions;

  constructor(options: PlacedErrorsOptions) {
    this.#options = options;
  }

  /** Returns `my-agent.ts:12:5`, or a file next to it, if the stack leads there; with its folder if that is known. */
  placeOf(reason: unknown): string | undefined {
    const stack = reason instanceof Error ? (reason.stack ?? "") : "";
    const { file, sourceFolder } = this.#options;
    const places = Array.from(
      stack.matchAll(/([^\s()]+?):(\d+):(\d+)\)?$/gm),
      ([, path = "", line, column]) => {
        // A bundle names its files as app:PATH, from the folder of their package.
        const inPackage = /(?:^|\/)app:(.*)$/.exec(path)?.[1];
        const plain = decoded(inPackage ?? path.replace(/^file:\/\//, ""));
        const isKnown = inPackage !== undefined && sourceFolder !== "";
        return {
          path: isKnown ? join(packageFolder(sourceFolder), plain) : plain,
          at: `:${line}:${column}`,
        };
      },
    ).filter(({ path }) => !path.includes("/node_modules/"));
    // Some runners put a folder of their own before the path of the source.
    const within = places.map(({ path, at }) => ({
      path: path.slice(path.lastIndexOf(`${sourceFolder}/`)),
      at,
    }));
    const own =
      sourceFolder === "" ? undefined : within.find(({ path }) => path.startsWith(`${sourceFolder}/`));
    const found = own ?? places.find(({ path }) => path === file || path.endsWith(`/${file}`));
    if (found === undefined) return undefined;
    return `${sourceFolder === "" ? (found.path.split("/").at(-1) ?? file) : found.path}${found.at}`;
  }

  /** Returns the module with the location added to every error of its own. */
  within(role: ModuleRole, module: Exported): Exported {
    switch (role) {
      case "agent":
        return this.#agent(module as AgentModule);
      case "reward":
        return this.#reward(module as RewardModule);
      case "data":
        return this.#data(module as DataModule);
      case "advantage":
        return this.#advantage(module as AdvantageModule);
    }
  }

  #agent(module: AgentModule): AgentModule {
    return {
      ...module,
      create: (settings, model): Agent => {
        const agent = this.#sync(() => module.create(settings, model));
        return {
          name: agent.name,
          run: (task, options) => this.#async(() => agent.run(task, options), options?.signal),
        };
      },
    };
  }

  #reward(module: RewardModule): RewardModule {
    return {
      ...module,
      create: (settings, dependencies) => {
        const score = this.#sync(() => module.create(settings, dependencies));
        return (task, episode, options) =>
          this.#async(async () => await score(task, episode, options), options?.signal);
      },
    };
  }

  #data(module: DataModule): DataModule {
    return {
      ...module,
      tasks: async (settings, signal) => {
        const tasks = await this.#async(async () => await module.tasks(settings, signal), signal);
        if ("open" in tasks)
          return {
            count: tasks.count,
            open: (position, opened) => this.#async(() => tasks.open(position, opened), opened),
            close: () => tasks.close(),
          };
        const placed = (reason: unknown) => this.#placed(reason, signal);
        return (async function* () {
          try {
            yield* tasks;
          } catch (reason) {
            throw placed(reason);
          }
        })();
      },
    };
  }

  #advantage(module: AdvantageModule): AdvantageModule {
    return {
      ...module,
      create: (settings) => {
        const advantages = this.#sync(() => module.create(settings));
        return (group) => this.#sync(() => advantages(group));
      },
    };
  }

  #sync<T>(work: () => T): T {
    try {
      return work();
    } catch (reason) {
      throw this.#placed(reason, undefined);
    }
  }

  async #async<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await work();
    } catch (reason) {
      throw this.#placed(reason, signal);
    }
  }

  #placed(reason: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return reason;
    const { field, file, sourceFolder } = this.#options;
    if (reason instanceof RewardError && reason.code === "BAD_REPLY") {
      // What the module returned was wrong: its class and code stay, and the location of the definition is added.
      const place = this.placeOf(reason);
      const said = reason.message.replace(/^\[BAD_REPLY\] (reward\.module: )?/, "");
      return place === undefined
        ? reason
        : new RewardError(reason.code, `${field}.module: ${place}: ${said}`, reason);
    }
    if (isOurs(reason)) return reason;
    const place = this.placeOf(reason) ?? (sourceFolder === "" ? file : `${sourceFolder}/${file}`);
    const said = reason instanceof Error ? reason.message : `threw ${String(reason)}, which is not an Error`;
    return new PalimpsestError("CONFIG_INVALID", `${field}.module: ${place}: ${said}`, { cause: reason });
  }
}

/**
 * Returns whether the error needs no location: errors of this project begin with their code, and aborts are not errors
 * of the module.
 */
function isOurs(reason: unknown): boolean {
  return reason instanceof Error && (/^\[[A-Z_]+\] /.test(reason.message) || reason.name === "AbortError");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // A path that is no URL may have a lone percent sign.
  }
}
