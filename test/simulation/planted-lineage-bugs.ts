/** Planted bugs of lineage; see planted-bugs.ts. */
import { PalimpsestError } from "@palimpsest/wire";
import {
  notAgain,
  type TaskLineage,
  type TaskRecipe,
} from "../../packages/runtime/client/src/base/task-lineage.js";
import type { ValueStore } from "../../packages/runtime/client/src/values/value-store.js";
import type { PlantedBug } from "./planted-bugs.js";
import { Plant } from "./world/plant.js";
import { valuesOf } from "./world/settings.js";

class LineageBug extends Plant {
  readonly #change: (lineage: TaskLineage, store: ValueStore) => void;

  constructor(change: (lineage: TaskLineage, store: ValueStore) => void) {
    super();
    this.#change = change;
  }

  override values(store: ValueStore): void {
    this.#change(store.lineage, store);
  }
}

/** Programs that record something else about how a result was made. */
function recordBug(change: (recipe: TaskRecipe, forget: () => void) => TaskRecipe): () => Plant {
  return () =>
    new LineageBug((lineage) => {
      const record = lineage.record.bind(lineage);
      lineage.record = (objectId, recipe) =>
        record(
          objectId,
          change(recipe, () => lineage.ended(objectId)),
        );
    });
}

export const plantedLineageBugs: readonly PlantedBug[] = [
  {
    name: "a program computes a result again that a node still has",
    breaks: "LINEAGE-2",
    make: () =>
      new LineageBug((lineage, store) => {
        const recipes = new Map<string, TaskRecipe>();
        const record = lineage.record.bind(lineage);
        lineage.record = (objectId, recipe) => {
          recipes.set(objectId, recipe);
          record(objectId, recipe);
        };
        const get = store.get.bind(store);
        store.get = async (ref, options) => {
          const recipe = lineage.isOwn(ref.objectId) ? recipes.get(ref.objectId) : undefined;
          await recipe?.run(ref.objectId, 0).catch(() => undefined);
          return get(ref, options);
        };
      }),
    settings: valuesOf,
  },
  {
    name: "a program forgets how a result was made while it refers to it",
    breaks: "LINEAGE-1, LINEAGE-2",
    make: recordBug((recipe, forget) => {
      setTimeout(forget, 5_000);
      return recipe;
    }),
    settings: valuesOf,
  },
  {
    name: "a program lets go of a task's arguments while it refers to the result",
    breaks: "LINEAGE-1, LINEAGE-2",
    make: recordBug((recipe) => {
      recipe.release();
      return { ...recipe, argumentRefs: [], release: () => undefined };
    }),
    settings: valuesOf,
  },
  {
    name: "a lost result is called lost, and not computed again",
    breaks: "LINEAGE-2",
    make: () =>
      new LineageBug((lineage) => {
        lineage.recoverOwn = async (objectId, why) => {
          throw notAgain(
            new PalimpsestError("OBJECT_LOST", why.rawMessage, { details: { objectId } }),
            "planted",
          );
        };
      }),
    settings: valuesOf,
  },
];
