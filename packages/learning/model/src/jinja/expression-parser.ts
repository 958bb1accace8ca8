import type { Token } from "./lexer.js";
import type { CallArguments, ComparisonOperator, Expression, Target } from "./syntax.js";
import type { Tokens } from "./tokens.js";
import { Float, integer } from "./values.js";

const comparisons: readonly ComparisonOperator[] = ["==", "!=", "<", "<=", ">", ">="];
const reserved = ["true", "false", "none", "True", "False", "None"];
const noArguments: CallArguments = { positional: [], keywords: [] };
const mostLevels = 200;

/** Reads expressions in the grammar of Jinja. */
export class ExpressionParser {
  readonly #tokens: Tokens;
  #level = 0;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** @param withChoice whether `a if b else c` is read; not where an `if` follows */
  expression(withChoice = true): Expression {
    this.#level += 1;
    // A deeper expression would exhaust the stack here or when it is computed.
    if (this.#level > mostLevels) throw this.#tokens.fail("the expression is nested too deeply; split it");
    const read = withChoice ? this.#choice() : this.#or();
    this.#level -= 1;
    return read;
  }

  /** One expression, or several with commas, which are a tuple; `ends` are the words that end it. */
  tuple(withChoice: boolean, ends: readonly string[] = [], mayBeEmpty = false): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) this.#tokens.expectSign(",");
      if (this.#endsTuple(ends)) break;
      items.push(this.expression(withChoice));
      if (!this.#tokens.isSign(",")) break;
      isTuple = true;
    }
    const [first] = items;
    if (!isTuple && first !== undefined) return first;
    if (!isTuple && !mayBeEmpty) throw this.#tokens.unexpected("an expression");
    return { kind: "tuple", items };
  }

  #endsTuple(ends: readonly string[]): boolean {
    const tokens = this.#tokens;
    return (
      tokens.is("variable end") || tokens.is("block end") || tokens.isSign(")") || tokens.isWord(...ends)
    );
  }

  /** What is assigned to, ended by `=` or by a word such as `in`. */
  target(ends: readonly string[] = []): Target {
    const items: Target[] = [];
    let isTuple = false;
    for (;;) {
      if (this.#endsTuple(ends)) break;
      items.push(this.#oneTarget());
      if (!this.#tokens.skipSign(",")) break;
      isTuple = true;
    }
    const [first] = items;
    if (first === undefined) throw this.#tokens.unexpected("a name to assign to");
    return isTuple ? { kind: "targets", items } : first;
  }

  #oneTarget(): Target {
    const tokens = this.#tokens;
    if (tokens.skipSign("(")) {
      const inner = this.target();
      tokens.expectSign(")");
      return inner;
    }
    const name = this.assignable();
    return tokens.skipSign(".")
      ? { kind: "field", namespace: name, name: tokens.expectName() }
      : { kind: "name", name };
  }

  /** A name that may be assigned to. */
  assignable(): string {
    if (this.#tokens.isWord(...reserved))
      throw this.#tokens.fail(`can't assign to '${this.#tokens.current.value}'`);
    return this.#tokens.expectName();
  }

  #choice(): Expression {
    let read = this.#or();
    while (this.#tokens.skipWord("if")) {
      const test = this.#or();
      const otherwise = this.#tokens.skipWord("else") ? this.expression() : undefined;
      read = { kind: "choice", test, chosen: read, otherwise };
    }
    return read;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#tokens.skipWord("or")) left = { kind: "or", left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#tokens.skipWord("and")) left = { kind: "and", left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    if (!this.#tokens.skipWord("not")) return this.#compare();
    this.#level += 1;
    if (this.#level > mostLevels) throw this.#tokens.fail("the expression is nested too deeply; split it");
    const of = this.#not();
    this.#level -= 1;
    return { kind: "not", of };
  }

  #compare(): Expression {
    const first = this.#sum();
    const rest: [ComparisonOperator, Expression][] = [];
    for (;;) {
      const operator = this.#comparison();
      if (operator === undefined) break;
      rest.push([operator, this.#sum()]);
    }
    return rest.length === 0 ? first : { kind: "compare", first, rest };
  }

  #comparison(): ComparisonOperator | undefined {
    const tokens = this.#tokens;
    if (tokens.skipWord("in")) return "in";
    const after = tokens.ahead(1);
    if (tokens.isWord("not") && after.type === "name" && after.value === "in") {
      tokens.next();
      tokens.next();
      return "not in";
    }
    return comparisons.find((operator) => tokens.skipSign(operator));
  }

  #sum(): Expression {
    let left = this.#concat();
    for (;;) {
      const operator = (["+", "-"] as const).find((sign) => this.#tokens.skipSign(sign));
      if (operator === undefined) return left;
      left = { kind: "binary", operator, left, right: this.#concat() };
    }
  }

  #concat(): Expression {
    const first = this.#product();
    const items = [first];
    while (this.#tokens.skipSign("~")) items.push(this.#product());
    return items.length === 1 ? first : { kind: "concat", items };
  }

  #product(): Expression {
    let left = this.#power();
    for (;;) {
      const operator = (["*", "/", "//", "%"] as const).find((sign) => this.#tokens.skipSign(sign));
      if (operator === undefined) return left;
      left = { kind: "binary", operator, left, right: this.#power() };
    }
  }

  #power(): Expression {
    let left = this.#unary(true);
    while (this.#tokens.skipSign("**")) {
      left = { kind: "binary", operator: "**", left, right: this.#unary(true) };
    }
    return left;
  }

  #unary(withFilters: boolean): Expression {
    const sign = (["-", "+"] as const).find((each) => this.#tokens.skipSign(each));
    this.#level += 1;
    if (this.#level > mostLevels) throw this.#tokens.fail("the expression is nested too deeply; split it");
    let read: Expression =
      sign === undefined
        ? this.#primary()
        : { kind: sign === "-" ? "negative" : "positive", of: this.#unary(false) };
    this.#level -= 1;
    read = this.#postfix(read);
    return withFilters ? this.#filters(read) : read;
  }

  #primary(): Expression {
    const tokens = this.#tokens;
    const token = tokens.next();
    if (token.type === "name") return nameOrConstant(token.value);
    if (token.type === "string") {
      let value = token.value;
      while (tokens.is("string")) value += tokens.next().value;
      return { kind: "constant", value };
    }
    if (token.type === "integer") return { kind: "constant", value: integer(BigInt(token.value)) };
    if (token.type === "float") return { kind: "constant", value: new Float(Number(token.value)) };
    if (token.type === "operator") {
      if (token.value === "(") {
        const inner = this.tuple(true, [], true);
        tokens.expectSign(")");
        return inner;
      }
      if (token.value === "[") return { kind: "list", items: this.#listItems() };
      if (token.value === "{") return { kind: "dict", entries: this.#dictEntries() };
    }
    throw unexpected(tokens, token);
  }

  #listItems(): Expression[] {
    const items: Expression[] = [];
    while (!this.#tokens.isSign("]")) {
      if (items.length > 0) this.#tokens.expectSign(",");
      if (this.#tokens.isSign("]")) break;
      items.push(this.expression());
    }
    this.#tokens.expectSign("]");
    return items;
  }

  #dictEntries(): [Expression, Expression][] {
    const entries: [Expression, Expression][] = [];
    while (!this.#tokens.isSign("}")) {
      if (entries.length > 0) this.#tokens.expectSign(",");
      if (this.#tokens.isSign("}")) break;
      const key = this.expression();
      this.#tokens.expectSign(":");
      entries.push([key, this.expression()]);
    }
    this.#tokens.expectSign("}");
    return entries;
  }

  #postfix(of: Expression): Expression {
    let read = of;
    for (;;) {
      if (this.#tokens.isSign(".", "[")) read = this.#subscript(read);
      else if (this.#tokens.isSign("(")) read = { kind: "call", of: read, given: this.callArguments() };
      else return read;
    }
  }

  #filters(of: Expression): Expression {
    let read = of;
    for (;;) {
      if (this.#tokens.skipSign("|")) read = { kind: "filter", of: read, ...this.filter() };
      else if (this.#tokens.skipWord("is")) read = this.#test(read);
      else if (this.#tokens.isSign("(")) read = { kind: "call", of: read, given: this.callArguments() };
      else return read;
    }
  }

  /** The name and the arguments of a filter, after its `|`. */
  filter(): { readonly name: string; readonly given: CallArguments } {
    const name = this.#dottedName();
    return { name, given: this.#tokens.isSign("(") ? this.callArguments() : noArguments };
  }

  #dottedName(): string {
    let name = this.#tokens.expectName();
    while (this.#tokens.skipSign(".")) name += `.${this.#tokens.expectName()}`;
    return name;
  }

  #test(of: Expression): Expression {
    const tokens = this.#tokens;
    const negated = tokens.skipWord("not");
    const name = this.#dottedName();
    let given = noArguments;
    if (tokens.isSign("(")) given = this.callArguments();
    else if (startsOperand(tokens) && !tokens.isWord("else", "or", "and")) {
      if (tokens.isWord("is")) throw tokens.fail("You cannot chain multiple tests with is");
      given = { positional: [this.#postfix(this.#primary())], keywords: [] };
    }
    const test: Expression = { kind: "test", of, name, given };
    return negated ? { kind: "not", of: test } : test;
  }

  #subscript(of: Expression): Expression {
    const tokens = this.#tokens;
    if (tokens.skipSign(".")) {
      const token = tokens.next();
      if (token.type === "name") return { kind: "attribute", of, name: token.value };
      if (token.type !== "integer") throw unexpected(tokens, token);
      return { kind: "item", of, key: { kind: "constant", value: integer(BigInt(token.value)) } };
    }
    tokens.expectSign("[");
    const keys: Expression[] = [];
    while (!tokens.isSign("]")) {
      if (keys.length > 0) tokens.expectSign(",");
      const start = tokens.isSign(":") ? undefined : this.expression();
      if (tokens.isSign(":")) {
        const bounds = [start, this.#sliceBound(), this.#sliceBound()] as const;
        tokens.expectSign("]");
        if (keys.length > 0) throw tokens.fail("a slice among several indices is not supported");
        return { kind: "slice", of, bounds };
      }
      if (start !== undefined) keys.push(start);
    }
    tokens.expectSign("]");
    const [key] = keys;
    if (key === undefined) throw tokens.fail("expected an index");
    return { kind: "item", of, key: keys.length === 1 ? key : { kind: "tuple", items: keys } };
  }

  #sliceBound(): Expression | undefined {
    if (!this.#tokens.skipSign(":")) return undefined;
    return this.#tokens.isSign(":", "]") ? undefined : this.expression();
  }

  callArguments(): CallArguments {
    const tokens = this.#tokens;
    const positional: Expression[] = [];
    const keywords: [string, Expression][] = [];
    let rest: Expression | undefined;
    let keywordRest: Expression | undefined;
    tokens.expectSign("(");
    for (let first = true; !tokens.isSign(")"); first = false) {
      if (!first) {
        tokens.expectSign(",");
        if (tokens.isSign(")")) break;
      }
      const after = tokens.ahead(1);
      if (tokens.skipSign("**")) keywordRest = this.expression();
      else if (tokens.skipSign("*")) rest = this.expression();
      else if (tokens.is("name") && after.type === "operator" && after.value === "=") {
        const name = tokens.next().value;
        tokens.next();
        keywords.push([name, this.expression()]);
      } else {
        if (keywords.length > 0 || keywordRest !== undefined || rest !== undefined) {
          throw tokens.fail("invalid syntax for function call expression");
        }
        positional.push(this.expression());
      }
    }
    tokens.expectSign(")");
    return {
      positional,
      keywords,
      ...(rest === undefined ? {} : { rest }),
      ...(keywordRest === undefined ? {} : { keywordRest }),
    };
  }
}

function startsOperand(tokens: Tokens): boolean {
  const { type } = tokens.current;
  return (
    type === "name" ||
    type === "string" ||
    type === "integer" ||
    type === "float" ||
    tokens.isSign("(", "[", "{")
  );
}

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

function nameOrConstant(name: string): Expression {
  const value = constants.get(name);
  return value === undefined ? { kind: "name", name } : { kind: "constant", value };
}

function unexpected(tokens: Tokens, { type, value }: Token) {
  return tokens.fail(`unexpected ${type === "end" ? "end of template" : `'${value === "" ? type : value}'`}`);
}
