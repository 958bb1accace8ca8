import type { HeldObject } from "@palimpsest/client";
import { type Command, Option } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { formatBytes } from "../../display/bytes.js";
import { JsonOutput } from "../../display/json-output.js";
import { formatTable } from "../../display/table.js";
import { parseCount } from "../../input/key-values.js";
import { heldObjectSchema } from "../../state/row-schemas.js";

const groupings = ["owner", "node", "kind"] as const;
type Grouping = (typeof groupings)[number];

interface MemoryCommandOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly limit: number;
  readonly groupBy?: Grouping;
}

const defaultRows = 100;

/** Returns the strongest reason why an object is kept, in the terms of `ray memory`. */
export function kindOf({ isCopy, pinnedBy, capturedIn, heldBy }: HeldObject): string {
  if (isCopy) return "cached copy";
  if (pinnedBy.length > 0) return "pinned by a call";
  if (heldBy.length > 0) return "referred to";
  return capturedIn.length > 0 ? "captured in an object" : "held";
}

const keyOf: Readonly<Record<Grouping, (object: HeldObject) => string>> = {
  owner: ({ ownerId }) => ownerId || "(copies)",
  node: ({ nodeId }) => nodeId,
  kind: kindOf,
};

/** Groups objects by a common property, the group with the most bytes first. */
function groupedBy(
  objects: readonly HeldObject[],
  grouping: Grouping,
): { readonly key: string; readonly objects: number; readonly bytes: number }[] {
  const groups = new Map<string, { key: string; objects: number; bytes: number }>();
  for (const object of objects) {
    const key = keyOf[grouping](object);
    const group = groups.get(key) ?? { key, objects: 0, bytes: 0 };
    groups.set(key, group);
    group.objects += 1;
    group.bytes += object.sizeBytes;
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes);
}

function row(object: HeldObject): string[] {
  const { objectId, sizeBytes, nodeId, ownerId, heldBy, pinnedBy, capturedIn, isSpilled } = object;
  const kind = isSpilled ? `${kindOf(object)}, spilled` : kindOf(object);
  return [
    objectId,
    formatBytes(sizeBytes),
    kind,
    nodeId,
    ownerId,
    heldBy.join(", "),
    pinnedBy.join(", "),
    capturedIn.join(", "),
  ];
}

const headings = ["object", "size", "why", "node", "owner", "held by", "in calls of", "captured in"];

const output = new JsonOutput(() =>
  z.union([
    z.array(heldObjectSchema),
    z
      .array(z.strictObject({ key: z.string(), objects: z.int(), bytes: z.number() }))
      .describe("with --group-by"),
  ]),
);

export function addMemory(program: Command): void {
  withConnection(program.command("memory"))
    .description("lists objects in the nodes' object stores and their owners, the largest first")
    .addOption(output.option())
    .addOption(new Option("--group-by <what>", "prints sums per group instead of objects").choices(groupings))
    .addOption(
      new Option("--limit <rows>", "maximum number of objects, in total and per node")
        .argParser(parseCount)
        .default(defaultRows),
    )
    .action(async (options: MemoryCommandOptions) => {
      const { limit, groupBy } = options;
      const asked = groupBy === undefined ? Math.min(limit, 10_000) : 10_000;
      const memory = await withCluster(options, "memory", (cluster) => cluster.memory({ limit: asked }));
      for (const { nodeId, reason } of memory.silent)
        process.stderr.write(`node ${nodeId} did not answer: ${reason}\n`);
      const { objects: all, totalObjects, totalBytes } = memory;
      const objects = all.slice(0, limit);
      const groups = groupBy === undefined ? undefined : groupedBy(all, groupBy);
      if (options.json) {
        output.print(groups ?? objects);
        return;
      }
      const table = groups
        ? formatTable(
            [groupBy ?? "", "objects", "size"],
            groups.map((group) => [group.key, String(group.objects), formatBytes(group.bytes)]),
          )
        : formatTable(headings, objects.map(row));
      process.stdout.write(`${table}\n${totalObjects} objects with a total of ${formatBytes(totalBytes)}\n`);
    });
}
