import { PalimpsestError } from "@palimpsest/wire";
import { Option } from "commander";

let forbidden = false;

/**
 * Creates the flag that every command has. Its name is that of a value, because commander would take `--no-input` for the
 * opposite of the flag `--input` of some commands.
 */
export function noInputOption(): Option {
  const option = new Option("--no-input", "never asks and never waits for a person: fails instead");
  option.negate = false;
  return option;
}

/** Forbids waiting for a person in this process. */
export function forbidInput(): void {
  forbidden = true;
}

/** Whether `--no-input` was given. */
export const isInputForbidden = (): boolean => forbidden;

/**
 * Refuses to read what a person would have to type.
 * @param instead what to give in place of it
 * @throws {PalimpsestError} INVALID_ARGUMENT with `--no-input` where standard input is a terminal
 */
export function refuseToWait(instead: string, stdin: { readonly isTTY?: boolean } = process.stdin): void {
  if (forbidden && stdin.isTTY)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `standard input is a terminal, and --no-input is given: ${instead}`,
    );
}
