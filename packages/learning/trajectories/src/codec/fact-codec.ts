import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

type Fact = string | number | boolean;

export const encodeFacts = (
  facts: Readonly<Record<string, Fact>>,
): Record<string, proto.TaskFact.$Properties> =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, encodeFact(value)]));

/** @throws {PalimpsestError} CODEC */
export const decodeFacts = (
  facts: Readonly<Record<string, proto.TaskFact.$Properties>>,
  owner: string,
): Record<string, Fact> =>
  Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, decodeFact(name, fact, owner)]));

function encodeFact(value: Fact): proto.TaskFact.$Properties {
  switch (typeof value) {
    case "string":
      return { text: value };
    case "number":
      return { number: value };
    case "boolean":
      return { flag: value };
  }
}

function decodeFact(name: string, fact: proto.TaskFact.$Properties, owner: string): Fact {
  const value = fact.text ?? fact.number ?? fact.flag;
  if (value === undefined || value === null) {
    throw new PalimpsestError(
      "CODEC",
      `metadata.${name} of the ${owner} has no value; give a string, a number or a boolean`,
    );
  }
  return value;
}
