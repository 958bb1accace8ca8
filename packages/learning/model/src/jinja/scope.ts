import type { Environment } from "./builtin.js";
import type { Output, Run } from "./run.js";
import { Undefined, type Value } from "./values.js";

/** The variables of a block, with those of the blocks around it. */
export class Scope {
  readonly environment: Environment;
  readonly run: Run;
  readonly parent: Scope | undefined;
  readonly variables = new Map<string, Value>();

  constructor(environment: Environment, parent?: Scope) {
    this.environment = environment;
    this.run = environment.run;
    this.parent = parent;
  }

  inner(): Scope {
    return new Scope(this.environment, this);
  }

  get(name: string): Value {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const value = scope.variables.get(name);
      if (value !== undefined) return value;
    }
    return new Undefined(`'${name}' is undefined`);
  }
}

/** Says how a statement ended: a loop around it goes on, ends or begins its next round. */
export type Ending = "done" | "break" | "continue";

/** A compiled statement. */
export type Execute = (scope: Scope, output: Output) => Ending;
