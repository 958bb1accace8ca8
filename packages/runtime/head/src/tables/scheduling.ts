/** Converts what a request requires of its node between its wire form and the scheduler's form. */
import {
  conditionProblem,
  type LabelCondition,
  type PlacementRequest,
  type Strategy,
} from "@palimpsest/scheduler";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { checkTexts } from "./bounded-texts.js";

/** What an actor requires of its node besides quantities. */
export interface Scheduling {
  readonly labels: Readonly<Record<string, string>>;
  readonly labelConditions: readonly LabelCondition[];
  readonly strategy: Strategy;
}

const operatorToProto: Readonly<Record<LabelCondition["operator"], proto.LabelOperator>> = {
  in: proto.LabelOperator.LABEL_OPERATOR_IN,
  "not in": proto.LabelOperator.LABEL_OPERATOR_NOT_IN,
  exists: proto.LabelOperator.LABEL_OPERATOR_EXISTS,
  "not exists": proto.LabelOperator.LABEL_OPERATOR_NOT_EXISTS,
};
const operators = Object.keys(operatorToProto) as LabelCondition["operator"][];

const pack: Strategy = { kind: "pack" };

export interface SchedulingMessage {
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly labelConditions?: readonly proto.LabelCondition.$Properties[] | null;
  readonly strategy?: proto.Strategy.$Properties | null;
}

/** Returns the requirements in a request that has been checked before. */
export function schedulingOf({ labels, labelConditions, strategy }: SchedulingMessage): Scheduling {
  return {
    labels: { ...labels },
    labelConditions: (labelConditions ?? []).map(conditionOf),
    strategy: strategyOf(strategy ?? {}),
  };
}

export function schedulingToProto({ labels, labelConditions, strategy }: Scheduling) {
  return {
    labels: { ...labels },
    labelConditions: labelConditions.map(({ name, operator, values }) => ({
      ...{ name, operator: operatorToProto[operator], values: [...values] },
    })),
    strategy: strategyToProto(strategy),
  };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT naming the field */
export function checkScheduling(message: SchedulingMessage): void {
  checkTexts("labels", message.labels ?? {});
  for (const condition of message.labelConditions ?? []) {
    const known = operators.some((one) => operatorToProto[one] === condition.operator);
    if (!known)
      throw invalid(`label_conditions: operator is ${condition.operator}: use a value of LabelOperator`);
    const problem = conditionProblem(conditionOf(condition));
    if (problem !== undefined) throw invalid(`label_conditions: ${problem}`);
  }
  const { strategy } = message;
  const kind = strategy?.kind ?? 0;
  const nodeId = strategy?.nodeId ?? "";
  const bound = kind === proto.StrategyKind.STRATEGY_KIND_NODE;
  if (!(kind in proto.StrategyKind)) throw invalid(`strategy.kind is ${kind}: use a value of StrategyKind`);
  if (bound && !nodeId)
    throw invalid("strategy.kind is NODE and strategy.node_id is empty: give the id of a node");
  if (!bound && (nodeId || strategy?.soft))
    throw invalid(
      `strategy.node_id is ${JSON.stringify(nodeId)} and strategy.kind is not NODE: leave one of them out`,
    );
}

export function requestOf({
  resources,
  labels,
  labelConditions,
  strategy,
}: Scheduling & Pick<PlacementRequest, "resources">): PlacementRequest {
  return { resources, labels, conditions: labelConditions, strategy };
}

/** Returns a request in the form that listings show. */
export function requestToProto({ labels, conditions = [], strategy = pack }: PlacementRequest) {
  return schedulingToProto({ labels, labelConditions: conditions, strategy });
}

function conditionOf({ name, operator, values }: proto.LabelCondition.$Properties): LabelCondition {
  return {
    name: name ?? "",
    operator: operators.find((one) => operatorToProto[one] === operator) ?? "in",
    values: [...(values ?? [])],
  };
}

function strategyOf({ kind, nodeId, soft }: proto.Strategy.$Properties): Strategy {
  if (kind === proto.StrategyKind.STRATEGY_KIND_NODE)
    return { kind: "node", nodeId: nodeId ?? "", soft: soft ?? false };
  return kind === proto.StrategyKind.STRATEGY_KIND_SPREAD ? { kind: "spread" } : pack;
}

function strategyToProto(strategy: Strategy): proto.Strategy.$Properties {
  const { STRATEGY_KIND_PACK, STRATEGY_KIND_SPREAD, STRATEGY_KIND_NODE } = proto.StrategyKind;
  if (strategy.kind === "node")
    return { kind: STRATEGY_KIND_NODE, nodeId: strategy.nodeId, soft: strategy.soft };
  return { kind: strategy.kind === "spread" ? STRATEGY_KIND_SPREAD : STRATEGY_KIND_PACK };
}

function invalid(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}
