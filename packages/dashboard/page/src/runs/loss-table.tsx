/** Shows where a run loses the facts that its answers need, the worst place first. */
import { lossPlaces, lossSentence } from "@palimpsest/evals/microscope";
import type { EpisodeRow } from "../../../src/api/runs.js";
import { goTo, withQuery } from "../data/route.js";
import { isFailed, lossKey } from "./episode-filter.js";

const shown = 8;

export function LossTable({
  rows,
  chosen,
}: {
  readonly rows: readonly EpisodeRow[];
  readonly chosen: string;
}) {
  const scored = rows.filter(({ lanes }) => lanes.length > 0);
  const { failures, places } = lossPlaces(scored.map((row) => ({ failed: isFailed(row), lanes: row.lanes })));
  if (scored.length === 0) return <p class="dim">No episode names the facts that its answer needs.</p>;
  if (places.length === 0) return <p class="good">No fact that an answer needed was lost.</p>;
  return (
    <>
      <p class="dim small">
        {failures} of {scored.length} episodes failed.
      </p>
      <ul class="losses">
        {places.slice(0, shown).map((place) => {
          const key = lossKey(place);
          return (
            <li key={key}>
              <button
                type="button"
                aria-pressed={chosen === key}
                onClick={() => goTo(withQuery({ loss: chosen === key ? "" : key }))}
              >
                <span class="loss-bar" style={{ width: `${100 * place.share}%` }} />
                <span>{lossSentence(place)}</span>
                <span class="dim small">
                  {place.failures} failed, {place.successes} did not
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
