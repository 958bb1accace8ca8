import { parseArgs } from "node:util";

type Default = string | boolean | readonly string[] | undefined;

/**
 * Reads the flags of a bench. A flag is a text, or, by its default, a switch or one that may be given several times.
 * @param defaults every flag; undefined: it may be left out
 */
export function benchFlags<Defaults extends Readonly<Record<string, Default>>>(defaults: Defaults) {
  const options = Object.entries(defaults).map(([name, given]) => {
    const type = typeof given === "boolean" ? ("boolean" as const) : ("string" as const);
    const multiple = Array.isArray(given);
    return [name, { type, multiple, ...(given === undefined ? {} : { default: given as string }) }];
  });
  const { values } = parseArgs({ options: Object.fromEntries(options) });
  return values as {
    readonly [Name in keyof Defaults]: Defaults[Name] extends boolean
      ? boolean
      : Defaults[Name] extends readonly string[]
        ? readonly string[]
        : Defaults[Name] extends string
          ? string
          : string | undefined;
  };
}
