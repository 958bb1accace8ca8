import { callValue } from "./attributes.js";
import { type Evaluate, ExpressionCompiler } from "./expression-compiler.js";
import { TemplateFailure } from "./failure.js";
import { macroFunction } from "./macro.js";
import { textOf } from "./print.js";
import { Output } from "./run.js";
import type { Ending, Execute, Scope } from "./scope.js";
import type { BlockFilter, Statement, Target } from "./syntax.js";
import { isTrue, iterate, Loop, Namespace, Undefined, type Value } from "./values.js";

/** How a statement ended: as usual, or with `{% break %}` or `{% continue %}`. */
type Of<Kind extends Statement["kind"]> = Extract<Statement, { kind: Kind }>;

/** Turns statements into functions. @throws {TemplateSyntaxFailure} for unknown filters and tests */
export class StatementCompiler {
  readonly #expressions = new ExpressionCompiler();

  body(statements: readonly Statement[]): Execute {
    const all = statements.map((statement) => this.#statement(statement));
    const [first, second] = all;
    if (first !== undefined && all.length === 1) return first;
    if (first !== undefined && second !== undefined && all.length === 2) {
      return (scope, output) => {
        const ending = first(scope, output);
        return ending === "done" ? second(scope, output) : ending;
      };
    }
    return (scope, output) => {
      for (const execute of all) {
        const ending = execute(scope, output);
        if (ending !== "done") return ending;
      }
      return "done";
    };
  }

  /** A body of its own scope, as a text. */
  #text(statements: readonly Statement[]): (scope: Scope) => string {
    const body = this.body(statements);
    return (scope) => {
      const output = new Output(scope.run);
      body(scope.inner(), output);
      return output.text;
    };
  }

  #statement(statement: Statement): Execute {
    this.#expressions.line = statement.line;
    switch (statement.kind) {
      case "text": {
        const { text } = statement;
        return (_scope, output) => {
          output.write(text);
          return "done";
        };
      }
      case "output":
        return this.#output(statement);
      case "for":
        return this.#for(statement);
      case "if":
        return this.#if(statement);
      case "set": {
        const value = this.#expressions.compile(statement.value);
        const assign = assignment(statement.target);
        return this.#at(statement, (scope) => assign(scope, value(scope)));
      }
      case "set block": {
        const text = this.#text(statement.body);
        const filter = this.#filters(statement.filters);
        const assign = assignment(statement.target);
        return this.#at(statement, (scope) => assign(scope, filter(text(scope), scope)));
      }
      case "macro": {
        const make = macroFunction(
          statement.name,
          statement.parameters,
          statement.body,
          this.body(statement.body),
          this.#expressions,
        );
        return this.#at(statement, (scope) => void scope.variables.set(statement.name, make(scope)));
      }
      case "call":
        return this.#call(statement);
      case "filter": {
        const text = this.#text(statement.body);
        const filter = this.#filters(statement.filters);
        return this.#at(statement, (scope, output) =>
          output.write(textOf(filter(text(scope), scope), scope.run)),
        );
      }
      case "with": {
        const values = statement.values.map(
          ([target, value]) => [assignment(target), this.#expressions.compile(value)] as const,
        );
        const body = this.body(statement.body);
        return (scope, output) => {
          const inner = scope.inner();
          for (const [assign, value] of values) assign(inner, value(scope));
          return body(inner, output);
        };
      }
      case "block": {
        const body = this.body(statement.body);
        return (scope, output) => body((statement.scoped ? scope : root(scope)).inner(), output);
      }
      case "break":
      case "continue": {
        const { kind } = statement;
        return () => kind;
      }
    }
  }

  #at({ line }: Statement, work: (scope: Scope, output: Output) => void): Execute {
    return (scope, output) => {
      scope.run.line = line;
      scope.run.step();
      work(scope, output);
      return "done";
    };
  }

  #output(statement: Of<"output">): Execute {
    const value = this.#expressions.compile(statement.value);
    return this.#at(statement, (scope, output) => output.write(textOf(value(scope), scope.run)));
  }

  #filters(filters: readonly BlockFilter[]): (value: Value, scope: Scope) => Value {
    const all = filters.map((filter) => this.#expressions.filter(filter));
    return (value, scope) => all.reduce((at, filter) => filter(at, scope), value);
  }

  #if({ branches, otherwise, line }: Of<"if">): Execute {
    this.#expressions.conditional += 1;
    const tests = branches.map(({ test }) => this.#expressions.compile(test));
    const bodies = branches.map(({ body }) => this.body(body));
    const last = this.body(otherwise);
    this.#expressions.conditional -= 1;
    return (scope, output) => {
      for (const [i, test] of tests.entries()) {
        scope.run.line = line;
        scope.run.step();
        const body = bodies[i];
        if (isTrue(test(scope)) && body !== undefined) return body(scope, output);
      }
      return last(scope, output);
    };
  }

  #call({ parameters, call, body, line }: Of<"call">): Execute {
    const caller = macroFunction("caller", parameters, body, this.body(body), this.#expressions);
    const of = this.#expressions.compile(call.of);
    const given = this.#expressions.given(call.given);
    return (scope, output) => {
      scope.run.line = line;
      const { positional, keywords } = given(scope);
      const withCaller = new Map(keywords).set("caller", caller(scope));
      output.write(textOf(callValue(of(scope), positional, withCaller, scope.run), scope.run));
      return "done";
    };
  }

  #for(statement: Of<"for">): Execute {
    const { recursive, line } = statement;
    const items = this.#expressions.compile(statement.items);
    const filter = statement.test === undefined ? undefined : this.#expressions.compile(statement.test);
    const assign = assignment(statement.target);
    const body = this.body(statement.body);
    const otherwise = this.body(statement.otherwise);
    const run = (scope: Scope, values: Value, depth: number, output: Output): Ending => {
      const all = chosen(values, filter, assign, scope);
      if (all.length === 0) return otherwise(scope.inner(), output);
      const recurse = (inner: Value, level: number) => {
        const text = new Output(scope.run);
        run(scope, inner, level, text);
        return text.text;
      };
      const loop = new Loop(all, depth, recursive ? recurse : undefined);
      let completed = false;
      for (;;) {
        loop.index0 += 1;
        const item = all[loop.index0];
        if (item === undefined) break;
        scope.run.step();
        const inner = scope.inner();
        inner.variables.set("loop", loop);
        scope.run.line = line;
        assign(inner, item);
        const ending = body(inner, output);
        if (ending === "done") completed = true;
        else if (ending === "break") break;
      }
      // As in Jinja, a loop none of whose rounds reached its end counts as one without rounds.
      return completed ? "done" : otherwise(scope.inner(), output);
    };
    return (scope, output) => {
      scope.run.line = line;
      return run(scope, items(scope), 1, output);
    };
  }
}

/** Returns the values that a loop visits, read before its first round. */
function chosen(
  values: Value,
  filter: Evaluate | undefined,
  assign: (scope: Scope, value: Value) => void,
  scope: Scope,
): readonly Value[] {
  const all: Value[] = [];
  for (const value of iterate(values)) {
    scope.run.step();
    if (filter !== undefined) {
      const inner = scope.inner();
      assign(inner, value);
      if (!isTrue(filter(inner))) continue;
    }
    all.push(value);
  }
  return all;
}

function root(scope: Scope): Scope {
  let at = scope;
  // The outermost scope has the functions of Jinja, and the one in it the variables of the template.
  while (at.parent?.parent !== undefined) at = at.parent;
  return at;
}

/** Returns what assigns a value to a target. */
function assignment(target: Target): (scope: Scope, value: Value) => void {
  if (target.kind === "name") {
    const { name } = target;
    return (scope, value) => void scope.variables.set(name, value);
  }
  if (target.kind === "field") {
    return (scope, value) => {
      const namespace = scope.get(target.namespace);
      if (namespace instanceof Undefined) throw new TemplateFailure(namespace.reason);
      if (!(namespace instanceof Namespace)) {
        throw new TemplateFailure("cannot assign attribute on non-namespace object");
      }
      namespace.fields.set(target.name, value);
    };
  }
  const all = target.items.map(assignment);
  return (scope, value) => {
    const items = [...iterate(value)];
    if (items.length !== all.length) {
      const problem = items.length < all.length ? "not enough values" : "too many values";
      const got = items.length < all.length ? `, got ${items.length}` : "";
      throw new TemplateFailure(`${problem} to unpack (expected ${all.length}${got})`);
    }
    for (const [i, assign] of all.entries()) assign(scope, items[i] ?? null);
  };
}
