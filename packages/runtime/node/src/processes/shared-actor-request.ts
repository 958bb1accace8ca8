import type * as proto from "@palimpsest/wire/protocol";

export interface SharedActorRequest {
  readonly spec: proto.ActorSpec.$Properties;
  readonly incarnation: number;
}
