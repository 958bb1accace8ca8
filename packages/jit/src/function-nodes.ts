/** Where a call finds its nodes. */
export interface FunctionNodes {
  /** Comma-separated, as the addon wants them, in the order of the function's inputs. */
  readonly feeds: string;
  readonly fetches: string;
}
