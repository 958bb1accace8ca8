import { ExpressionParser } from "./expression-parser.js";
import { TemplateSyntaxFailure } from "./failure.js";
import { tokenize } from "./lexer.js";
import type { BlockFilter, Expression, Parameter, Statement } from "./syntax.js";
import { Tokens } from "./tokens.js";

/** Reads a template. @throws {TemplateSyntaxFailure} */
export function parse(template: string): readonly Statement[] {
  return new StatementParser(new Tokens(tokenize(template))).run();
}

const mostLevels = 100;
const withoutLoader = ["extends", "include", "import", "from"];

class StatementParser {
  readonly #tokens: Tokens;
  readonly #expressions: ExpressionParser;
  /** The blocks that are open, with their lines. */
  readonly #open: { readonly tag: string; readonly line: number }[] = [];
  #loops = 0;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
    this.#expressions = new ExpressionParser(tokens);
  }

  run(): readonly Statement[] {
    return this.#body([]);
  }

  /** Reads statements up to one of the words, which stays the current token; without words, up to the end. */
  #body(ends: readonly string[]): readonly Statement[] {
    const body: Statement[] = [];
    for (;;) {
      const tokens = this.#tokens;
      const { type, line } = tokens.current;
      if (type === "end") {
        if (ends.length === 0) return body;
        throw this.#notClosed();
      }
      if (type === "text") body.push({ kind: "text", text: tokens.next().value, line });
      else if (type === "variable begin") {
        tokens.next();
        body.push({ kind: "output", value: this.#expressions.tuple(true), line });
        tokens.expect("variable end");
      } else {
        tokens.expect("block begin");
        if (tokens.isWord(...ends)) return body;
        body.push(...this.#statement(line));
        tokens.expect("block end");
      }
    }
  }

  #notClosed(): TemplateSyntaxFailure {
    const open = this.#open.at(-1);
    const { line } = this.#tokens.current;
    return new TemplateSyntaxFailure(
      `unexpected end of template: {% ${open?.tag} %} of line ${open?.line} is not closed; add {% end${open?.tag} %}`,
      line,
    );
  }

  /** Reads `%}`, the body and the word that ends it. */
  #bodyTo(...ends: readonly string[]): readonly Statement[] {
    this.#tokens.expect("block end");
    return this.#body(ends);
  }

  #statement(line: number): Statement[] {
    const tag = this.#tokens.expectName();
    this.#open.push({ tag, line });
    if (this.#open.length > mostLevels) throw this.#tokens.fail("blocks are nested too deeply");
    const statement = this.#ofTag(tag, line);
    this.#open.pop();
    return statement;
  }

  #ofTag(tag: string, line: number): Statement[] {
    switch (tag) {
      case "for":
        return [this.#for(line)];
      case "if":
        return [this.#if(line)];
      case "set":
        return [this.#set(line)];
      case "macro":
        return [this.#macro(line)];
      case "call":
        return [this.#call(line)];
      case "with":
        return [this.#with(line)];
      case "filter": {
        const filters = this.#blockFilters(true);
        return [{ kind: "filter", filters, body: this.#closed("endfilter"), line }];
      }
      case "generation":
        // The tag marks what the assistant wrote, which only training masks need; its variables are its own.
        return [{ kind: "with", values: [], body: this.#closed("endgeneration"), line }];
      case "autoescape":
        return [this.#autoescape(line)];
      case "block":
        return [this.#block(line)];
      case "print":
        return this.#print(line);
      case "break":
      case "continue":
        if (this.#loops === 0) throw new TemplateSyntaxFailure(`'${tag}' outside of a loop`, line);
        return [{ kind: tag, line }];
      default:
        throw this.#unknown(tag, line);
    }
  }

  #unknown(tag: string, line: number): TemplateSyntaxFailure {
    if (withoutLoader.includes(tag)) {
      return new TemplateSyntaxFailure(
        `{% ${tag} %} needs other files, which a chat template does not have`,
        line,
      );
    }
    const outer = this.#open.at(-2);
    const hint =
      outer === undefined ? "" : `; the innermost open block is {% ${outer.tag} %} of line ${outer.line}`;
    return new TemplateSyntaxFailure(`Encountered unknown tag '${tag}'${hint}`, line);
  }

  #closed(end: string): readonly Statement[] {
    const loops = this.#loops;
    this.#loops = 0;
    const body = this.#bodyTo(end);
    this.#loops = loops;
    this.#tokens.next();
    return body;
  }

  #autoescape(line: number): Statement {
    const value = this.#expressions.expression();
    if (value.kind !== "constant" || value.value !== false) {
      throw new TemplateSyntaxFailure("autoescape is not supported: a prompt is no HTML; remove it", line);
    }
    return { kind: "with", values: [], body: this.#closed("endautoescape"), line };
  }

  #for(line: number): Statement {
    const tokens = this.#tokens;
    const target = this.#expressions.target(["in"]);
    if (!tokens.skipWord("in")) throw tokens.unexpected("'in'");
    const items = this.#expressions.tuple(false, ["recursive"]);
    const test = tokens.skipWord("if") ? this.#expressions.expression() : undefined;
    const recursive = tokens.skipWord("recursive");
    this.#loops += 1;
    const body = this.#bodyTo("endfor", "else");
    this.#loops -= 1;
    const hasElse = tokens.next().value === "else";
    const otherwise = hasElse ? this.#bodyTo("endfor") : [];
    if (hasElse) tokens.next();
    return { kind: "for", target, items, test, recursive, body, otherwise, line };
  }

  #if(line: number): Statement {
    const branches: { test: Expression; body: readonly Statement[] }[] = [];
    let otherwise: readonly Statement[] = [];
    for (;;) {
      const test = this.#expressions.tuple(false);
      branches.push({ test, body: this.#bodyTo("elif", "else", "endif") });
      const word = this.#tokens.next().value;
      if (word === "elif") continue;
      if (word === "else") {
        otherwise = this.#bodyTo("endif");
        this.#tokens.next();
      }
      return { kind: "if", branches, otherwise, line };
    }
  }

  #set(line: number): Statement {
    const target = this.#expressions.target();
    if (this.#tokens.skipSign("=")) {
      return { kind: "set", target, value: this.#expressions.tuple(true), line };
    }
    const filters = this.#blockFilters(false);
    return { kind: "set block", target, filters, body: this.#closed("endset"), line };
  }

  #blockFilters(inline: boolean): BlockFilter[] {
    const filters: BlockFilter[] = [];
    if (inline) filters.push(this.#expressions.filter());
    while (this.#tokens.skipSign("|")) filters.push(this.#expressions.filter());
    return filters;
  }

  #parameters(): Parameter[] {
    const tokens = this.#tokens;
    const parameters: Parameter[] = [];
    tokens.expectSign("(");
    while (!tokens.isSign(")")) {
      if (parameters.length > 0) tokens.expectSign(",");
      const name = this.#expressions.assignable();
      const otherwise = tokens.skipSign("=") ? this.#expressions.expression() : undefined;
      if (otherwise === undefined && parameters.at(-1)?.otherwise !== undefined) {
        throw tokens.fail("non-default argument follows default argument");
      }
      parameters.push({ name, otherwise });
    }
    tokens.expectSign(")");
    return parameters;
  }

  #macro(line: number): Statement {
    const name = this.#expressions.assignable();
    const parameters = this.#parameters();
    return { kind: "macro", name, parameters, body: this.#closed("endmacro"), line };
  }

  #call(line: number): Statement {
    const parameters = this.#tokens.isSign("(") ? this.#parameters() : [];
    const call = this.#expressions.expression();
    if (call.kind !== "call") throw new TemplateSyntaxFailure("expected call", line);
    return { kind: "call", parameters, call, body: this.#closed("endcall"), line };
  }

  #with(line: number): Statement {
    const tokens = this.#tokens;
    const values: [ReturnType<ExpressionParser["target"]>, Expression][] = [];
    while (!tokens.is("block end")) {
      if (values.length > 0) tokens.expectSign(",");
      const name = this.#expressions.assignable();
      tokens.expectSign("=");
      values.push([{ kind: "name", name }, this.#expressions.expression()]);
    }
    const body = this.#bodyTo("endwith");
    tokens.next();
    return { kind: "with", values, body, line };
  }

  #block(line: number): Statement {
    const tokens = this.#tokens;
    const name = tokens.expectName();
    const scoped = tokens.skipWord("scoped");
    tokens.skipWord("required");
    const body = this.#closed("endblock");
    tokens.skipWord(name);
    return { kind: "block", scoped, body, line };
  }

  #print(line: number): Statement[] {
    const statements: Statement[] = [];
    while (!this.#tokens.is("block end")) {
      if (statements.length > 0) this.#tokens.expectSign(",");
      statements.push({ kind: "output", value: this.#expressions.expression(), line });
    }
    return statements;
  }
}
