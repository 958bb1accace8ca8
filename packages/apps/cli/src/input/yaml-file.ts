import { readFileSync } from "node:fs";
import { reasonText, yamlProblem } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { parse } from "yaml";

/**
 * Reads the YAML file that an option names.
 * @param content what belongs into it, in words
 * @param document where that is described
 * @throws {PalimpsestError} CONFIG_INVALID naming the option and the file
 */
export function yamlFile(option: string, file: string, content: string, document: string): unknown {
  let value: unknown;
  try {
    value = parse(readFileSync(file, "utf8"));
  } catch (reason) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${option} ${file} cannot be read: ${yamlProblem(reason) ?? reasonText(reason)}; name a YAML file (${document})`,
      { cause: reason },
    );
  }
  if (value === null)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${option} ${file}: is empty; write ${content} into it (${document})`,
    );
  return value;
}
