import type { Value } from "./values.js";

export interface CallArguments {
  readonly positional: readonly Expression[];
  readonly keywords: readonly (readonly [string, Expression])[];
  /** `*values` and `**values`. */
  readonly rest?: Expression;
  readonly keywordRest?: Expression;
}

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";
export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

export type Expression =
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list" | "tuple" | "concat"; readonly items: readonly Expression[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: "attribute"; readonly of: Expression; readonly name: string }
  | { readonly kind: "item"; readonly of: Expression; readonly key: Expression }
  | {
      readonly kind: "slice";
      readonly of: Expression;
      readonly bounds: readonly [Expression | undefined, Expression | undefined, Expression | undefined];
    }
  | { readonly kind: "call"; readonly of: Expression; readonly given: CallArguments }
  | { readonly kind: "filter"; readonly of: Expression; readonly name: string; readonly given: CallArguments }
  | {
      readonly kind: "test";
      readonly of: Expression;
      readonly name: string;
      readonly given: CallArguments;
    }
  | { readonly kind: "not" | "negative" | "positive"; readonly of: Expression }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "compare";
      readonly first: Expression;
      readonly rest: readonly (readonly [ComparisonOperator, Expression])[];
    }
  | {
      readonly kind: "choice";
      readonly test: Expression;
      readonly chosen: Expression;
      readonly otherwise: Expression | undefined;
    };

/** What a value is assigned to: a name, the field of a namespace, or several of them. */
export type Target =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "field"; readonly namespace: string; readonly name: string }
  | { readonly kind: "targets"; readonly items: readonly Target[] };

export interface Parameter {
  readonly name: string;
  readonly otherwise: Expression | undefined;
}

/** A filter of a block: `{% filter upper %}` or `{% set x | upper %}`. */
export interface BlockFilter {
  readonly name: string;
  readonly given: CallArguments;
}

export type Statement = { readonly line: number } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output"; readonly value: Expression }
  | {
      readonly kind: "for";
      readonly target: Target;
      readonly items: Expression;
      readonly test: Expression | undefined;
      readonly recursive: boolean;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly kind: "if";
      readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[];
      readonly otherwise: readonly Statement[];
    }
  | { readonly kind: "set"; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: "set block";
      readonly target: Target;
      readonly filters: readonly BlockFilter[];
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: "macro";
      readonly name: string;
      readonly parameters: readonly Parameter[];
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: "call";
      readonly parameters: readonly Parameter[];
      readonly call: Expression & { readonly kind: "call" };
      readonly body: readonly Statement[];
    }
  | { readonly kind: "filter"; readonly filters: readonly BlockFilter[]; readonly body: readonly Statement[] }
  | {
      readonly kind: "with";
      readonly values: readonly (readonly [Target, Expression])[];
      readonly body: readonly Statement[];
    }
  | { readonly kind: "block"; readonly scoped: boolean; readonly body: readonly Statement[] }
  | { readonly kind: "break" | "continue" }
);
