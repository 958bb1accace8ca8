import { mulberry32 } from "@palimpsest/std/random";
import { PalimpsestError } from "../base/error.js";
import type { FaultPlan, FaultRule } from "./fault-plan.js";

interface SeededRule {
  readonly rule: FaultRule;
  readonly pattern: RegExp;
  readonly draw: () => number;
}

/** Decides for each call which fault, if any, it gets. Each rule draws from a random generator of its own. */
export class FaultDraw {
  readonly #rules: readonly SeededRule[];

  constructor(plan: FaultPlan, side: FaultRule["side"]) {
    this.#rules = plan.rules
      .map((rule, index) => ({
        rule,
        pattern: patternOf(rule.method),
        draw: mulberry32(Math.imul(plan.seed + index + 1, 0x9e3779b9)),
      }))
      .filter(({ rule }) => rule.side === side);
  }

  /** Returns the first rule that matches the method and whose draw succeeds. `method` is "Service.Method". */
  next(method: string): FaultRule | undefined {
    return this.#rules.find(({ rule, pattern, draw }) => pattern.test(method) && draw() < rule.probability)
      ?.rule;
  }
}

/** The error that a rule injects. Its message identifies it as injected. */
export function injectedError(rule: FaultRule, method: string): PalimpsestError {
  return new PalimpsestError(rule.error, `PALIMPSEST_FAULTS: ${method} failed ${rule.when}`, {
    details: { injected: rule.when, method },
  });
}

function patternOf(method: string): RegExp {
  return new RegExp(`^${method.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
}
