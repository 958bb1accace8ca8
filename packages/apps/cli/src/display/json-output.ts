import { parseInput } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { Option } from "commander";
import { z } from "zod";
import { printableJson } from "./printable.js";

/** A value as commands have it: nothing in it can be changed. */
export type Shown<T> = T extends readonly unknown[]
  ? { readonly [Key in keyof T]: Shown<T[Key]> }
  : T extends object
    ? { readonly [Key in keyof T]: Shown<T[Key]> }
    : T;

/**
 * What a command prints with `--json`. One schema is what `palimpsest schema` prints, the type of what is printed, and the
 * check of every value when it is printed, so that the three cannot differ.
 */
export class JsonOutput<Value = unknown> {
  /** Whether it prints one object per line, as things happen, instead of one value. */
  readonly isLines: boolean;
  readonly #make: () => z.ZodType<Value>;

  /** @param make makes the schema, on first use, because most runs of a command print no JSON */
  constructor(make: () => z.ZodType<Value>, { lines = false }: { readonly lines?: boolean } = {}) {
    this.#make = make;
    this.isLines = lines;
  }

  get schema(): z.ZodType<Value> {
    return this.#make();
  }

  /** Creates the flag of the command. */
  option(description = this.isLines ? "one JSON object per line" : "as JSON"): JsonOption {
    return new JsonOption(this, description);
  }

  /** Writes the value, or one line of several, to standard output. */
  print(value: Shown<Value>): void {
    this.printText(`${printableJson(value, this.isLines ? 0 : 2)}\n`);
  }

  /**
   * Writes a value that another package has formatted. What the schema does not tell, such as a field of a newer head, is
   * said on standard error: it fails no command, whose result may be that of hours.
   */
  printText(text: string): void {
    process.stdout.write(text);
    try {
      parseInput(this.schema, JSON.parse(text), (problem) => new PalimpsestError("INTERNAL", problem));
    } catch (reason) {
      const { rawMessage } = PalimpsestError.from(reason);
      process.stderr.write(`warning: what --json printed is not of its schema: ${rawMessage}\n`);
    }
  }
}

/** The flag `--json` of a command, which knows what the command prints. */
class JsonOption extends Option {
  readonly output: JsonOutput;

  constructor(output: JsonOutput, description: string) {
    super("--json", description);
    this.output = output;
  }
}

/** Not by its class, of which each bundle of programs has its own. */
const isJsonOption = (option: Option): option is JsonOption => option.long === "--json" && "output" in option;

/** Returns what a command prints with `--json`; undefined if it has no such flag. */
export function jsonOutputOf(options: readonly Option[]): JsonOutput | undefined {
  return options.find(isJsonOption)?.output;
}

/** Refuses a file that is standard output, where the JSON would be. @throws {PalimpsestError} INVALID_ARGUMENT */
export function refuseStdout(flag: string, { json }: { readonly json?: boolean }): void {
  if (json)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${flag} is -, standard output, where --json prints: name a file, or leave --json out`,
    );
}

/** A part whose fields follow a recipe or a model: JSON Schema says of it only that it is an object. */
export const openObject = (what: string): z.ZodType<object> => z.looseObject({}).describe(what);
