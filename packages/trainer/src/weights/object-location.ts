import type * as proto from "@palimpsest/wire/protocol";

/** What names an object, and its size. */
export interface ObjectLocation {
  readonly objectId: string;
  readonly sizeBytes: number;
}

export function locationOf(shard: proto.WeightShard.$Properties): ObjectLocation {
  return { objectId: shard.objectId ?? "", sizeBytes: shard.sizeBytes ?? 0 };
}
