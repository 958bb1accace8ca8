/** An optimizer step that writes directly to the variables of three state entries. */
export interface AdamStep {
  readonly weights: string;
  readonly moment1: string;
  readonly moment2: string;
}

/** The nodes of one step in the graph, for ordering it with respect to other nodes. */
export interface EmittedStep {
  /** Node that ends the step. */
  readonly node: string;
  readonly size: number;
  /** State entry of the gradient, if it is one. */
  readonly gradient: string | undefined;
  /** Inputs of the node that starts the step: control dependencies may be added. */
  readonly starts: string[];
  /** Inputs of the nodes that change the variables: control dependencies may be added here, too. */
  readonly changes: readonly string[][];
}
