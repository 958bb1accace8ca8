import { callValue, getAttribute, getItem, getSlice } from "./attributes.js";
import { TemplateFailure, TemplateSyntaxFailure } from "./failure.js";
import { hasFilter, hasTest } from "./library.js";
import { negate, toIndex } from "./numbers.js";
import { compareValues, operate } from "./operators.js";
import { textOf } from "./print.js";
import type { Scope } from "./scope.js";
import type { BlockFilter, CallArguments, Expression } from "./syntax.js";
import { Dict, isTrue, iterate, type Keywords, List, Tuple, Undefined, type Value } from "./values.js";

/** An expression, ready to be computed. Templates are rendered often, so their trees are turned into functions once. */
export type Evaluate = (scope: Scope) => Value;

interface Given {
  readonly positional: readonly Value[];
  readonly keywords: Keywords;
}

const noKeywords: Keywords = new Map();
const nothing: Given = { positional: [], keywords: noKeywords };

export class ExpressionCompiler {
  /** The line of the statement that is being compiled. */
  line = 0;
  /** In a branch that may never run, an unknown filter is an error only when it does, as in Jinja. */
  conditional = 0;

  compile(expression: Expression): Evaluate {
    switch (expression.kind) {
      case "constant": {
        const { value } = expression;
        return () => value;
      }
      case "name": {
        const { name } = expression;
        return (scope) => scope.get(name);
      }
      case "list": {
        const items = this.#all(expression.items);
        return (scope) => new List(items.map((item) => item(scope)));
      }
      case "tuple": {
        const items = this.#all(expression.items);
        return (scope) => new Tuple(items.map((item) => item(scope)));
      }
      case "concat": {
        const items = this.#all(expression.items);
        return (scope) => {
          let text = "";
          for (const item of items) text += textOf(item(scope), scope.run);
          scope.run.joined(text.length);
          return text;
        };
      }
      case "dict":
        return this.#dict(expression.entries);
      case "attribute": {
        const of = this.compile(expression.of);
        const { name } = expression;
        return (scope) => getAttribute(of(scope), name, scope.run);
      }
      case "item": {
        const of = this.compile(expression.of);
        const key = this.compile(expression.key);
        return (scope) => getItem(of(scope), key(scope), scope.run);
      }
      case "slice":
        return this.#slice(expression);
      case "call": {
        const of = this.compile(expression.of);
        const given = this.given(expression.given);
        return (scope) => {
          const callee = of(scope);
          const { positional, keywords } = given(scope);
          return callValue(callee, positional, keywords, scope.run);
        };
      }
      case "filter": {
        const of = this.compile(expression.of);
        const filter = this.filter(expression);
        return (scope) => filter(of(scope), scope);
      }
      case "test":
        return this.#test(expression);
      case "not": {
        const of = this.compile(expression.of);
        return (scope) => !isTrue(of(scope));
      }
      case "negative":
      case "positive": {
        const of = this.compile(expression.of);
        const sign = expression.kind === "negative" ? -1 : 1;
        return (scope) => {
          const value = of(scope);
          if (value instanceof Undefined) throw new TemplateFailure(value.reason);
          return negate(value, sign);
        };
      }
      case "and":
      case "or": {
        const left = this.compile(expression.left);
        const right = this.compile(expression.right);
        const goesOn = expression.kind === "and";
        return (scope) => {
          const value = left(scope);
          return isTrue(value) === goesOn ? right(scope) : value;
        };
      }
      case "binary": {
        const { operator } = expression;
        const left = this.compile(expression.left);
        const right = this.compile(expression.right);
        return (scope) => operate(operator, left(scope), right(scope), scope.run);
      }
      case "compare":
        return this.#compare(expression);
      case "choice":
        return this.#choice(expression);
    }
  }

  #all(expressions: readonly Expression[]): readonly Evaluate[] {
    return expressions.map((each) => this.compile(each));
  }

  #dict(entries: readonly (readonly [Expression, Expression])[]): Evaluate {
    const compiled = entries.map(([key, value]) => [this.compile(key), this.compile(value)] as const);
    return (scope) => {
      const dict = new Dict();
      for (const [key, value] of compiled) dict.set(key(scope), value(scope));
      return dict;
    };
  }

  #slice({ of, bounds }: Extract<Expression, { kind: "slice" }>): Evaluate {
    const sliced = this.compile(of);
    const [start, stop, step] = bounds.map((bound) =>
      bound === undefined ? undefined : this.compile(bound),
    );
    const index = (bound: Evaluate | undefined, scope: Scope) => {
      const value = bound?.(scope) ?? null;
      if (value === null) return undefined;
      return toIndex(value, "slice indices");
    };
    return (scope) =>
      getSlice(
        sliced(scope),
        { start: index(start, scope), stop: index(stop, scope), step: index(step, scope) ?? 1 },
        scope.run,
      );
  }

  #compare({ first, rest }: Extract<Expression, { kind: "compare" }>): Evaluate {
    const start = this.compile(first);
    const links = rest.map(([operator, expression]) => [operator, this.compile(expression)] as const);
    return (scope) => {
      let left = start(scope);
      for (const [operator, next] of links) {
        const right = next(scope);
        if (!compareValues(operator, left, right, scope.run)) return false;
        left = right;
      }
      return true;
    };
  }

  #choice({ test, chosen, otherwise }: Extract<Expression, { kind: "choice" }>): Evaluate {
    const decides = this.compile(test);
    this.conditional += 1;
    const yes = this.compile(chosen);
    const no = otherwise === undefined ? undefined : this.compile(otherwise);
    this.conditional -= 1;
    const missing = new Undefined(
      "the inline if-expression evaluated to false and no else section was defined.",
    );
    return (scope) => {
      if (isTrue(decides(scope))) return yes(scope);
      return no === undefined ? missing : no(scope);
    };
  }

  #test(expression: Extract<Expression, { kind: "test" }>): Evaluate {
    const { name } = expression;
    const of = this.compile(expression.of);
    const given = this.given(expression.given);
    if (!hasTest(name) && this.conditional === 0) {
      throw new TemplateSyntaxFailure(`No test named '${name}'.`, this.line);
    }
    // The two tests that nearly every line of a template has are worth their own way.
    const alone = expression.given.positional.length + expression.given.keywords.length === 0;
    if (alone && name === "defined") return (scope) => !(of(scope) instanceof Undefined);
    if (alone && name === "none") return (scope) => of(scope) === null;
    return (scope) => {
      const value = of(scope);
      const { positional, keywords } = given(scope);
      return scope.environment.test(name, value, positional, keywords);
    };
  }

  filter({ name, given: expressions }: BlockFilter): (value: Value, scope: Scope) => Value {
    const given = this.given(expressions);
    if (!hasFilter(name) && this.conditional === 0) {
      throw new TemplateSyntaxFailure(`No filter named '${name}'.`, this.line);
    }
    return (value, scope) => {
      const { positional, keywords } = given(scope);
      return scope.environment.filter(name, value, positional, keywords);
    };
  }

  given({ positional, keywords, rest, keywordRest }: CallArguments): (scope: Scope) => Given {
    if (positional.length === 0 && keywords.length === 0 && rest === undefined && keywordRest === undefined) {
      return () => nothing;
    }
    const first = this.#all(positional);
    const named = keywords.map(([name, expression]) => [name, this.compile(expression)] as const);
    const more = rest === undefined ? undefined : this.compile(rest);
    const moreNamed = keywordRest === undefined ? undefined : this.compile(keywordRest);
    return (scope) => {
      const values = first.map((each) => each(scope));
      if (more !== undefined) values.push(...iterate(more(scope)));
      if (named.length === 0 && moreNamed === undefined) return { positional: values, keywords: noKeywords };
      const byName = new Map(named.map(([name, each]) => [name, each(scope)]));
      const dict = moreNamed?.(scope);
      if (dict !== undefined && !(dict instanceof Dict)) {
        throw new TemplateFailure("argument after ** must be a mapping");
      }
      for (const [key, value] of dict?.entries() ?? []) byName.set(textOf(key, scope.run), value);
      return { positional: values, keywords: byName };
    };
  }
}
