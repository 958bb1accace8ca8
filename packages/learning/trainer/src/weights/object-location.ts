import type * as proto from "@palimpsest/wire/protocol";

/** The id and the size of an object. */
export interface ObjectLocation {
  readonly objectId: string;
  readonly sizeBytes: number;
}

export function locationOf(shard: proto.WeightShard.$Properties): ObjectLocation {
  return { objectId: shard.objectId ?? "", sizeBytes: shard.sizeBytes ?? 0 };
}
