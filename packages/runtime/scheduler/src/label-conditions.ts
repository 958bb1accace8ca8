/** The conditions that a request may set on the labels of its node. */
import { sortedEntries } from "./resources.js";

export const labelOperators = ["in", "not in", "exists", "not exists"] as const;
type LabelOperator = (typeof labelOperators)[number];

export interface LabelCondition {
  readonly name: string;
  readonly operator: LabelOperator;
  /** At least one value for "in" and "not in", none for the other operators. */
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/**
 * Returns whether a node with these labels meets the condition. As in Kubernetes, a node without the label meets "not
 * in".
 */
export function meetsCondition(own: Labels, { name, operator, values }: LabelCondition): boolean {
  const value = Object.hasOwn(own, name) ? own[name] : undefined;
  switch (operator) {
    case "in":
      return value !== undefined && values.includes(value);
    case "not in":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "not exists":
      return value === undefined;
  }
}

/** Joins the labels that must be equal, which are the short form, and the conditions into one list. */
export function allConditions(
  labels: Labels,
  conditions: readonly LabelCondition[] = [],
): readonly LabelCondition[] {
  const equal = sortedEntries(labels).map(
    ([name, value]): LabelCondition => ({ name, operator: "in", values: [value] }),
  );
  return [...equal, ...conditions];
}

/** Describes a condition: "label zone=a", "label zone not in (a, b)", "a label zone", "no label zone". */
export function describeCondition({ name, operator, values }: LabelCondition): string {
  if (operator === "exists") return `a label ${name}`;
  if (operator === "not exists") return `no label ${name}`;
  if (operator === "in" && values.length === 1) return `label ${name}=${values[0]}`;
  return `label ${name} ${operator} (${values.join(", ")})`;
}

/** Returns what is wrong with the condition, or undefined when it is valid. */
export function conditionProblem({ name, operator, values }: LabelCondition): string | undefined {
  if (name === "") return "a label condition has an empty name: give the name of a node label";
  const takesValues = operator === "in" || operator === "not in";
  if (takesValues && values.length === 0)
    return `the condition on label ${name} has operator "${operator}" and no values: give at least one, or use "exists"`;
  if (!takesValues && values.length > 0)
    return `the condition on label ${name} has operator "${operator}" and values ${values.join(", ")}: leave them out, or use "in"`;
  return undefined;
}
