/** The graph nodes of a call. */
export interface FunctionNodes {
  /** Comma-separated, as the addon expects them, in the order of the function's inputs. */
  readonly feeds: string;
  readonly fetches: string;
}
