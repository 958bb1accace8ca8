import * as proto from "@palimpsest/wire/protocol";
import type { ResolvedActorOptions } from "./config.js";

/** Returns the scope of a request, as its field. */
export function scopeField({ maxConcurrent }: Pick<ResolvedActorOptions, "maxConcurrent">) {
  return maxConcurrent ? { name: maxConcurrent.scope, max: maxConcurrent.max } : null;
}

type Labels = ResolvedActorOptions["labels"];
type Fields = Required<Pick<proto.ActorSpec.$Properties, "labels" | "labelConditions" | "strategy">>;

const { LABEL_OPERATOR_IN, LABEL_OPERATOR_NOT_IN, LABEL_OPERATOR_EXISTS, LABEL_OPERATOR_NOT_EXISTS } =
  proto.LabelOperator;

/** Returns the requirements on a node, as the fields of a request. */
export function schedulingFields({
  labels,
  strategy,
}: Pick<ResolvedActorOptions, "labels" | "strategy">): Fields {
  return { ...labelFields(labels), strategy: strategyField(strategy) };
}

export function labelFields(labels: Labels): Pick<Fields, "labels" | "labelConditions"> {
  const equal: Record<string, string> = {};
  const labelConditions: proto.LabelCondition.$Properties[] = [];
  for (const [name, wanted] of Object.entries(labels)) {
    if (typeof wanted === "string") equal[name] = wanted;
    else if ("in" in wanted)
      labelConditions.push({ name, operator: LABEL_OPERATOR_IN, values: [...wanted.in] });
    else if ("notIn" in wanted)
      labelConditions.push({ name, operator: LABEL_OPERATOR_NOT_IN, values: [...wanted.notIn] });
    else {
      const operator = wanted.exists ? LABEL_OPERATOR_EXISTS : LABEL_OPERATOR_NOT_EXISTS;
      labelConditions.push({ name, operator });
    }
  }
  return { labels: equal, labelConditions };
}

function strategyField(strategy: ResolvedActorOptions["strategy"]): proto.Strategy.$Properties {
  const { STRATEGY_KIND_PACK, STRATEGY_KIND_SPREAD, STRATEGY_KIND_NODE } = proto.StrategyKind;
  if (typeof strategy === "object") return { kind: STRATEGY_KIND_NODE, ...strategy };
  return { kind: strategy === "spread" ? STRATEGY_KIND_SPREAD : STRATEGY_KIND_PACK };
}
