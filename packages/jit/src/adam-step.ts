/** A step that goes into the variables of three state entries. */
export interface AdamStep {
  readonly weights: string;
  readonly moment1: string;
  readonly moment2: string;
}

/** The place of one step in the graph, for what has to come before and after it. */
export interface EmittedStep {
  /** Node that ends the step. */
  readonly node: string;
  readonly size: number;
  /** State entry of the gradient, where it is one. */
  readonly gradient: string | undefined;
  /** Inputs of the node that starts the step: control dependencies may be added. */
  readonly starts: string[];
  /** So with inputs of the nodes that change the variables. */
  readonly changes: readonly string[][];
}
