import { PalimpsestError } from "@palimpsest/wire";
import { type ActorSpec, fullNameOf } from "./actor.js";

/**
 * Checks that the existing actor has the class and the resources that a request for its name asks for.
 * @throws {PalimpsestError} ALREADY_EXISTS naming each field that differs, also in its details
 */
export function expectSameKind(has: ActorSpec, wanted: ActorSpec): void {
  const fields = kindOf(has);
  const wantedFields = kindOf(wanted);
  const names = [...new Set([...fields.keys(), ...wantedFields.keys()])];
  const differing = names.filter((name) => fields.get(name) !== wantedFields.get(name));
  if (differing.length === 0) return;
  const shown = (value: string | number | undefined) => JSON.stringify(value ?? 0);
  const differences = differing.map(
    (name) => `${name} is ${shown(fields.get(name))}, not ${shown(wantedFields.get(name))}`,
  );
  throw new PalimpsestError(
    "ALREADY_EXISTS",
    `name ${fullNameOf(wanted)} belongs to ${has.actorId}, whose ${differences.join(" and ")}: request the same, take another name or kill that actor first`,
    { details: { actorId: has.actorId, fields: differing.join(",") } },
  );
}

/** Returns the class, as the module or bundle that exports it, and the resources. */
function kindOf({ code, resources }: ActorSpec): Map<string, string | number> {
  const amounts = Object.entries(resources).filter(([, amount]) => amount !== 0);
  return new Map<string, string | number>([
    ["code.module", code.module ?? ""],
    ["code.bundle", code.bundle ?? ""],
    ["code.export_name", code.exportName ?? ""],
    ...amounts.map(([name, amount]) => [`resources.${name}`, amount] as const),
  ]);
}
