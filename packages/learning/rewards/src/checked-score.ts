import { inspect } from "node:util";
import type { Score } from "@palimpsest/trajectories";

const fields = ["reward", "components", "stepRewards"];

/** What is wrong with a score, as the end of "score returned …", and what to return instead. */
export interface ScoreProblem {
  readonly problem: string;
  readonly fix: string;
}

const shown = (value: unknown) =>
  inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY }).slice(0, 100);

/**
 * Checks everything that a user's function returned as a score, because what is wrong with it would otherwise end the run far from
 * here, or be trained on.
 * @param conversations number of the episode's conversations, of which each has one step reward
 */
export function checkedScore(scored: unknown, conversations: number): Score | ScoreProblem {
  const finite = "return a finite number, or throw if there is none";
  if (typeof scored === "number" && Number.isFinite(scored)) return { reward: scored, components: {} };
  if (typeof scored !== "object" || scored === null) return { problem: shown(scored), fix: finite };
  const given = new Map<string, unknown>(Object.entries(scored));
  const reward = given.get("reward");
  if (typeof reward !== "number" || !Number.isFinite(reward))
    return { problem: `a reward of ${shown(reward)}`, fix: finite };
  const unknown = [...given.keys()].find((name) => !fields.includes(name));
  if (unknown !== undefined)
    return {
      problem: `the field ${unknown} of ${shown(given.get(unknown))}`,
      fix: `a score has the fields ${fields.join(", ")}; put other numbers into components`,
    };
  const components = given.get("components") ?? {};
  if (typeof components !== "object" || Array.isArray(components))
    return {
      problem: `components of ${shown(components)}`,
      fix: "return numbers by name, or leave components out",
    };
  const parts: Record<string, number> = {};
  for (const [name, value] of Object.entries(components)) {
    if (typeof value !== "number" || !Number.isFinite(value))
      return {
        problem: `components.${name} of ${shown(value)}`,
        fix: "return a finite number, or leave it out",
      };
    parts[name] = value;
  }
  const steps = given.get("stepRewards");
  if (steps === undefined) return { reward, components: parts };
  if (!Array.isArray(steps) || steps.length !== conversations)
    return {
      problem: Array.isArray(steps)
        ? `${steps.length} stepRewards for ${conversations} conversations`
        : `stepRewards of ${shown(steps)}`,
      fix: `return an array with one finite number for each of the episode's ${conversations} conversations, or leave stepRewards out`,
    };
  const stepRewards: number[] = [];
  for (const [step, value] of steps.entries()) {
    if (typeof value !== "number" || !Number.isFinite(value))
      return { problem: `stepRewards[${step}] of ${shown(value)}`, fix: "return finite numbers" };
    stepRewards.push(value);
  }
  return { reward, components: parts, stepRewards };
}
