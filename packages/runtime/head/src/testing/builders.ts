import { createLogger, createMetrics, type Logger, type Metrics } from "@palimpsest/telemetry";
import type * as proto from "@palimpsest/wire/protocol";
import { type HeadConfig, type HeadConfigInput, parseHeadConfig } from "../rules/config.js";
import { type ActorSpec, actorSpecFromProto } from "../tables/actor.js";

/** Returns what a client would send for one actor. */
export function anActor(
  actorId: string,
  over: proto.ActorSpec.$Properties = {},
): proto.ActorSpec.$Properties {
  return {
    actorId,
    code: { module: "@palimpsest/trainer/actors", exportName: "RolloutActor" },
    resources: { quantities: { cpu: 1 } },
    ownerId: "session-test",
    role: "rollout",
    ...over,
  };
}

export function aSpec(actorId: string, over: proto.ActorSpec.$Properties = {}): ActorSpec {
  return actorSpecFromProto(anActor(actorId, over));
}

export function aConfig(over: Partial<HeadConfigInput> = {}): HeadConfig {
  return parseHeadConfig({ dataDir: "unused", ...over });
}

export function quietLogger(): Logger {
  return createLogger({ component: "head", level: "silent" });
}

export function testMetrics(): Metrics {
  return createMetrics({ component: "head", processMetrics: false });
}
