import type { Command } from "commander";
import { z } from "zod";
import { type JsonOutput, jsonOutputOf } from "./json-output.js";

/** A command that does something, as help, completions, `palimpsest schema` and docs/commands.md know it. */
export interface Verb {
  /** Its words without the program's name, such as "job submit". */
  readonly name: string;
  readonly command: Command;
  /** What it prints with --json. */
  readonly json: JsonOutput | undefined;
  /** Why it has no --json; empty if it has. */
  readonly whyNoJson: string;
}

/** The only commands without --json. */
const withoutJson: Readonly<Record<string, string>> = {
  mcp: "its standard output is the protocol",
  "model chat": "it talks to a person",
  logs: "it prints what a process wrote, byte for byte",
  "job logs": "it prints what a process wrote, byte for byte",
  completion: "it prints a script for a shell",
  schema: "what it prints is JSON",
  help: "it prints text for people",
};

/** Lists the commands that do something, groups of commands not. */
export function verbsOf(command: Command, path: readonly string[] = []): readonly Verb[] {
  const below = command.commands.flatMap((child) => verbsOf(child, [...path, child.name()]));
  // A group has no action; commander knows it, and does not say it.
  const acts = path.length > 0 && typeof Reflect.get(command, "_actionHandler") === "function";
  if (!acts) return below;
  const name = path.join(" ");
  const json = jsonOutputOf(command.options);
  return [{ name, command, json, whyNoJson: json ? "" : (withoutJson[name] ?? "") }, ...below];
}

/** Returns the JSON Schema of what a command prints, or of each of its lines. */
export function jsonSchemaOf({ schema }: JsonOutput) {
  return z.toJSONSchema(schema, {
    // Open objects allow what they do not name.
    io: "input",
    override: ({ jsonSchema }) => {
      // The limits of JavaScript's integers say nothing.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
