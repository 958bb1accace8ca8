import { TemplateFailure } from "./failure.js";
import { toIndex } from "./numbers.js";
import { isTrue, type Keywords, typeName, type Value } from "./values.js";

/** The arguments of one call of a filter, a test or a method, by the names of its parameters. */
export class Arguments {
  readonly #what: string;
  readonly #names: readonly string[];
  readonly #values: (Value | undefined)[];

  /**
   * @param names the parameters in their order; those without a trailing "?" are required
   * @throws {TemplateFailure} for arguments that do not fit the parameters
   */
  constructor(what: string, names: readonly string[], positional: readonly Value[], keywords: Keywords) {
    this.#what = what;
    this.#names = names;
    if (positional.length > names.length) {
      throw new TemplateFailure(
        `${what} takes ${names.length} arguments but ${positional.length} were given`,
      );
    }
    this.#values = [...positional];
    for (const [name, value] of keywords) {
      const index = names.findIndex((each) => each === name || each === `${name}?`);
      if (index < 0) throw new TemplateFailure(`${what} got an unexpected keyword argument '${name}'`);
      if (this.#values[index] !== undefined) {
        throw new TemplateFailure(`${what} got multiple values for argument '${name}'`);
      }
      this.#values[index] = value;
    }
    for (const [i, name] of names.entries()) {
      if (!name.endsWith("?") && this.#values[i] === undefined) {
        throw new TemplateFailure(`${what} misses its argument '${name}'`);
      }
    }
  }

  /** Returns an argument, or another value if it was left out; a given None stays. */
  or(name: string, otherwise: Value): Value {
    const value = this.get(name);
    return value === undefined ? otherwise : value;
  }

  /** Returns an argument, or undefined if it was left out. */
  get(name: string): Value | undefined {
    const index = this.#names.findIndex((each) => each === name || each === `${name}?`);
    return this.#values[index];
  }

  value(name: string): Value {
    return this.get(name) ?? null;
  }

  /** @throws {TemplateFailure} if the argument is no text */
  text(name: string, otherwise?: string): string {
    const given = this.get(name);
    const value = given === undefined ? otherwise : given;
    if (typeof value === "string") return value;
    throw new TemplateFailure(`${this.#what}: ${name} must be str, not ${typeName(value ?? null)}`);
  }

  /** Returns a text, or undefined if it was left out or is none. @throws {TemplateFailure} for every other value */
  optionalText(name: string): string | undefined {
    const value = this.get(name) ?? null;
    return value === null ? undefined : this.text(name);
  }

  /** @throws {TemplateFailure} if the argument is no integer */
  integer(name: string, otherwise?: number): number {
    const given = this.get(name);
    const value = given === undefined ? (otherwise ?? null) : given;
    return toIndex(value, `${this.#what}: ${name}`);
  }

  optionalInteger(name: string): number | undefined {
    const value = this.get(name) ?? null;
    return value === null ? undefined : this.integer(name);
  }

  flag(name: string, otherwise = false): boolean {
    const value = this.get(name);
    return value === undefined ? otherwise : isTrue(value);
  }
}
