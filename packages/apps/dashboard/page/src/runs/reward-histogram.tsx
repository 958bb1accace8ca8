/** Shows how many episodes earned how much. Each bar is a filter. */
import type { EpisodeRow } from "../../../src/api/runs.js";
import { goTo, withQuery } from "../data/route.js";
import { numberText } from "../parts/format.js";

const bins = 20;

export function RewardHistogram({
  rows,
  chosen,
}: {
  readonly rows: readonly EpisodeRow[];
  readonly chosen: string;
}) {
  const rewards = rows.flatMap(({ reward }) => (reward === undefined ? [] : [reward]));
  if (rewards.length === 0) return <p class="dim">No episode has a reward.</p>;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const reward of rewards) {
    low = Math.min(low, reward);
    high = Math.max(high, reward);
  }
  const width = (high - low) / bins || 1;
  const counts = new Array<number>(high === low ? 1 : bins).fill(0);
  for (const reward of rewards) {
    const bin = Math.min(counts.length - 1, Math.floor((reward - low) / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  return (
    <div class="histogram" role="group" aria-label="Rewards">
      {counts.map((count, bin) => {
        const from = low + bin * width;
        const last = bin === counts.length - 1;
        const key = `${from}_${last ? "Infinity" : from + width}`;
        const text = `${numberText(from)} to ${numberText(last ? high : from + width)}: ${count} episodes`;
        return (
          <button
            key={key}
            type="button"
            title={text}
            aria-label={text}
            aria-pressed={chosen === key}
            disabled={count === 0}
            onClick={() => goTo(withQuery({ reward: chosen === key ? "" : key }))}
          >
            <i style={{ height: `${(100 * count) / most}%` }} />
          </button>
        );
      })}
      <span class="dim small">{numberText(low)}</span>
      <span class="dim small">{numberText(high)}</span>
    </div>
  );
}
