import { type Interval, wilsonInterval } from "../intervals.js";
import { meanInterval } from "../resampling.js";
import type { EvalItem } from "../suite/item.js";
import type { SuiteRun } from "../suite/runner.js";
import type { ReportSection } from "../suite/suite-markdown.js";

/** The score of one system over the items of one group and subset, by the scorer's first metric. */
interface EvidenceCell {
  readonly system: string;
  readonly group: string | number;
  readonly subset: string;
  readonly n: number;
  readonly score: number;
  readonly interval: Interval;
}

const share = ({ metadata }: EvalItem): number =>
  Number(metadata["minDistance"]) / Number(metadata["numDocs"]);
const isReverse = ({ metadata }: EvalItem): boolean => metadata["evidenceOrder"] === "reverse";

/** Subsets by the position of the evidence, from easy to hard. */
const subsets: readonly (readonly [string, (item: EvalItem) => boolean])[] = [
  ["all", () => true],
  ["near", (item) => share(item) < 0.25],
  ["far", (item) => share(item) >= 0.25],
  ["very far", (item) => share(item) >= 0.5],
  ["forward", ({ metadata }) => metadata["evidenceOrder"] === "forward"],
  ["reverse", isReverse],
  ["reverse and far", (item) => isReverse(item) && share(item) >= 0.25],
];

/**
 * Reports scores by how far apart the gold documents are and in which order: a reader that cannot look back fails when
 * evidence is in reverse order. Nothing is written when the items do not say (metadata `minDistance`, `numDocs`,
 * `evidenceOrder`).
 */
export function evidenceSection(run: SuiteRun): ReportSection[] {
  const items = new Map(run.items.map((item) => [item.id, item]));
  const telling = run.items.filter((item) => Number.isFinite(share(item)));
  if (telling.length === 0) return [];
  const metric = run.scorer.metrics[0];
  const groups = [...new Set(telling.map(({ group }) => group))];
  const cells = run.systems.flatMap(({ system, outcomes }) =>
    groups.flatMap((group) =>
      subsets.flatMap(([subset, holds]): EvidenceCell[] => {
        const values = outcomes.flatMap((one) => {
          const item = items.get(one.itemId);
          const counts =
            item !== undefined && one.group === group && Number.isFinite(share(item)) && holds(item);
          return counts
            ? [{ value: one.scores[metric?.name ?? ""] ?? 0, cluster: item.questionKey ?? item.id }]
            : [];
        });
        if (values.length === 0) return [];
        const sum = values.reduce((total, { value }) => total + value, 0);
        const isShare = metric?.kind === "share";
        const interval = isShare ? wilsonInterval(sum, values.length) : meanInterval(values);
        return [{ system, group, subset, n: values.length, score: sum / values.length, interval }];
      }),
    ),
  );
  const lines = [
    ...tableOf(cells),
    "",
    `${metric?.label ?? "Score"} in percent with 95 % intervals and counts. Far: any two gold documents are at least a quarter of the documents apart; very far: half of them. Forward and reverse: the order of the documents of the evidence, relative to the order in which the data set names them.`,
  ];
  return [{ title: "By position of the evidence", lines, data: cells, files: {} }];
}

function tableOf(cells: readonly EvidenceCell[]): string[] {
  const names = subsets.map(([name]) => name).filter((name) => cells.some(({ subset }) => subset === name));
  const percent = (value: number) => (value * 100).toFixed(1);
  const row = (texts: readonly (string | number)[]) => `| ${texts.join(" | ")} |`;
  const rows = [
    ...new Map(cells.map(({ system, group }) => [`${system}/${group}`, { system, group }])).values(),
  ];
  return [
    row(["system", "group", ...names]),
    row(["---", "---", ...names.map(() => "---:")]),
    ...rows.map(({ system, group }) =>
      row([
        system,
        group,
        ...names.map((name) => {
          const cell = cells.find(
            (one) => one.system === system && one.group === group && one.subset === name,
          );
          if (cell === undefined) return "–";
          return `${percent(cell.score)} [${percent(cell.interval.low)}, ${percent(cell.interval.high)}] (${cell.n})`;
        }),
      ]),
    ),
  ];
}
