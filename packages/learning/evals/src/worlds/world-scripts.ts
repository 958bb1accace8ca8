import type { WorldCase } from "@palimpsest/datasets";
import type { Embedder } from "@palimpsest/memory";
import type { EvalItem } from "../suite/item.js";
import type { Prediction, System } from "../suite/system.js";
import { bestGuess, floorNames, oracleNames, type Shortcuts, shortcuts } from "./shortcuts.js";
import type { WorldSuite } from "./world-suite.js";

/** What a script in a table is for. */
export type ScriptKind = "oracle" | "floor" | "ceiling" | "cheat";

/** A system without a model. */
export interface WorldScript {
  readonly kind: ScriptKind;
  readonly system: System;
}

/** Tricks that must not pay: each has to score at or below the best guess. */
const cheats = ["every candidate", "the question again", "the first tenth", "the newest tenth"];
const ceilings = ["BM25, 50", "BM25, three rounds of 20", "embedding, 50"];

/**
 * Returns systems that answer worlds without a model: an oracle, the best guess, tricks, and oracles that are given
 * only what a search found.
 */
export function worldScripts({ items, cases }: WorldSuite, embedder: Embedder): WorldScript[] {
  const found = new Map<string, Promise<Shortcuts>>();
  const shortcutsOf = async (item: EvalItem, one: WorldCase): Promise<Shortcuts> => {
    const known = found.get(item.id) ?? shortcuts(one, [...one.sentences()], embedder);
    found.set(item.id, known);
    return await known;
  };
  const guesses = new Map<string, string>();
  for (const group of new Set(items.map((item) => item.group))) {
    const own = items.flatMap(({ id, group: its }) => (its === group ? [{ id, one: cases.get(id) }] : []));
    const guess = bestGuess(own.flatMap(({ one }) => one ?? []));
    for (const { id, one } of own) if (one) guesses.set(id, guess(one));
  }
  const script = (name: string, kind: ScriptKind, orGuess: boolean): WorldScript => ({
    kind,
    system: {
      name,
      settings: { kind: "script", script: name, embedder: embedder.name },
      async answer(item): Promise<Prediction> {
        const one = cases.get(item.id);
        const guess = guesses.get(item.id) ?? "";
        const answers: Record<string, string | undefined> = {
          "best guess": guess,
          "the question again": item.question,
        };
        const known = name in answers || one === undefined ? answers : (await shortcutsOf(item, one)).answers;
        return { text: known[name] ?? (orGuess ? guess : ""), counts: noCalls };
      },
    },
  });
  return [
    script(oracleNames[0] ?? "", "oracle", false),
    script("best guess", "floor", false),
    ...floorNames.filter((name) => !cheats.includes(name)).map((name) => script(name, "floor", false)),
    ...ceilings.map((name) => script(name, "ceiling", true)),
    ...cheats.map((name) => script(name, "cheat", true)),
  ];
}

const noCalls = { conversations: 0, promptTokens: 0, sampledTokens: 0, truncated: 0 };
