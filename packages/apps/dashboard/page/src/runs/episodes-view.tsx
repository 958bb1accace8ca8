/**
 * Shows the episodes of a run: what they earned, where facts are lost, and the list, each of which filters the others.
 */

import { factLosses, factLossesText, lossPlaces, lossSentence } from "@palimpsest/evals/microscope";
import { type ComponentChildren, type ComponentType, createElement } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { EpisodeRow } from "../../../src/api/runs.js";
import { goTo, linkTo, place, withQuery } from "../data/route.js";
import { BeforeAfter } from "../microscope/before-after.js";
import { FilterField } from "../parts/filter-field.js";
import { bytesText, numberText } from "../parts/format.js";
import { Card, Loading, Problem } from "../parts/state.js";
import { VirtualList } from "../parts/virtual-list.js";
import { type EpisodeFilter, filtered, filterOf, isFailed, lossKey } from "./episode-filter.js";
import { episodeLink } from "./episode-link.js";
import { RewardHistogram } from "./reward-histogram.js";
import { useEpisodes } from "./use-episodes.js";

export function EpisodesView({ run }: { readonly run: string }) {
  const known = useEpisodes(run);
  const { query } = place.value;
  const key = query.toString();
  const filter = useMemo(() => filterOf(query), [key]);
  const rows = useMemo(() => filtered(known.rows, filter), [known.rows, key]);
  // Counts are updated two frames after the list, so that the rows respond to typing at once.
  const counted = useLater({ rows, known: known.rows, filter });
  const forRewards = useMemo(() => withoutOne(counted, { reward: "" }), [counted]);
  const forLosses = useMemo(() => withoutOne(counted, { loss: "" }), [counted]);
  const steps = useMemo(
    () =>
      [...new Set(known.rows.flatMap(({ step }) => (step === undefined ? [] : [step])))].sort(
        (a, b) => a - b,
      ),
    [known.rows],
  );
  const set = (values: Readonly<Record<string, string>>) => goTo(withQuery(values), { replace: true });
  if (!known.asked) return <Loading />;
  return (
    <>
      <Problem text={known.error} />
      {known.problems.map((text) => (
        <p key={text} class="warn small">
          {text}
        </p>
      ))}
      {known.reading ? (
        <p class="dim" role="status">
          {bytesText(known.readBytes)} of {bytesText(known.allBytes)} of traces are read
        </p>
      ) : null}
      <BeforeAfter run={run} rows={known.rows} generation={known.generation} />
      <div class="halves">
        <Card title="Rewards">
          <Rewards rows={forRewards} chosen={filter.reward} />
        </Card>
        <Card title="Where facts are lost">
          <Losses rows={forLosses} chosen={filter.loss} />
        </Card>
      </div>
      <p class="tools">
        <FilterField
          label="Filter episodes"
          hint="words of question, answer, id …"
          value={filter.words}
          onText={(text) => set({ q: text })}
        />
        <select
          aria-label="Step"
          value={filter.step}
          onChange={(event) => set({ step: event.currentTarget.value })}
        >
          <option value="">all steps</option>
          {steps.map((step) => (
            <option key={step} value={String(step)}>
              step {step}
            </option>
          ))}
        </select>
        <select
          aria-label="Played by"
          value={filter.origin}
          onChange={(event) => set({ by: event.currentTarget.value })}
        >
          <option value="">training and evaluations</option>
          <option value="train">training</option>
          <option value="eval">evaluations</option>
        </select>
        <select
          aria-label="Outcome"
          value={filter.only}
          onChange={(event) => set({ only: event.currentTarget.value })}
        >
          <option value="">all outcomes</option>
          <option value="failed">failed</option>
          <option value="discarded">discarded, with a reason</option>
        </select>
        <span class="dim" data-found>
          {rows.length} of {known.rows.length}
        </span>
        {key === "" ? null : <a href={linkTo(["runs", run])}>no filter</a>}
      </p>
      <VirtualList
        label="Episodes"
        rows={rows}
        idOf={(row) => String(row.at)}
        onChoose={(row) => goTo(episodeLink(run, row, query))}
        sorting={{ by: query.get("sort") ?? "", onSort: (sort) => set({ sort }) }}
        empty={known.rows.length === 0 ? "This run has no traces." : "No episode matches the filter."}
        columns={[
          { title: "step", width: 50, by: ({ step }) => step, cell: ({ step }) => step ?? "–" },
          {
            title: "by",
            width: 80,
            by: ({ origin }) => origin,
            cell: ({ origin }) => <span class="dim">{origins[origin]}</span>,
          },
          {
            title: "question",
            width: 220,
            grow: 4,
            cell: (row) => <a href={episodeLink(run, row, query)}>{row.question || row.id}</a>,
          },
          {
            title: "answer",
            width: 120,
            grow: 2,
            cell: ({ answer, failure, discarded }) => failure ?? discarded ?? answer,
          },
          {
            title: "reward",
            width: 65,
            by: ({ reward }) => reward,
            cell: ({ reward }) =>
              reward === undefined ? (
                "–"
              ) : (
                <span class={reward > 0 ? "good" : reward < 0 ? "bad" : "dim"}>{numberText(reward)}</span>
              ),
          },
          { title: "chunks", width: 60, by: ({ chunks }) => chunks, cell: ({ chunks }) => chunks },
          {
            title: "facts",
            width: 190,
            grow: 1,
            cell: ({ lanes }) => factsText(lanes),
          },
          {
            title: "group",
            width: 110,
            cell: ({ group, member }) =>
              group === undefined ? "–" : `${group.slice(-9)}${member === undefined ? "" : ` #${member}`}`,
          },
        ]}
      />
    </>
  );
}

const origins: Readonly<Record<EpisodeRow["origin"], string>> = {
  ask: "ask",
  eval: "evaluation",
  train: "training",
};

const Rewards = sameProps(RewardHistogram);
const Losses = sameProps(LossTable);

interface Counted {
  readonly rows: readonly EpisodeRow[];
  readonly known: readonly EpisodeRow[];
  readonly filter: EpisodeFilter;
}

/** Returns the rows that pass the filter with a part of it replaced. They show which values that part can have. */
function withoutOne({ rows, known, filter }: Counted, part: Partial<EpisodeFilter>): readonly EpisodeRow[] {
  const wider = { ...filter, ...part };
  return wider.reward === filter.reward && wider.loss === filter.loss ? rows : filtered(known, wider);
}

/** Describes what became of the facts that were not kept. Those that were kept need no description. */
function factsText(lanes: EpisodeRow["lanes"]): string {
  if (lanes.length === 0) return "–";
  const gone = lanes.filter(({ end }) => end !== "kept");
  if (gone.length === 0) return "all kept";
  return gone
    .map(({ name, end, lostAt }) => `${name} ${end}${lostAt === undefined ? "" : ` at ${lostAt + 1}`}`)
    .join(", ");
}

/** Helpers for parts of a page that are computed after the rest is visible. */

/**
 * Returns the value two frames after it was set, and the previous value until then. Two values are the same if all of
 * their properties are.
 */
function useLater<Value extends object>(value: Value): Value {
  const parts = Object.values(value);
  const now = useMemo(() => value, parts);
  const [shown, show] = useState(now);
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => show(now));
    });
    return () => cancelAnimationFrame(frame);
  }, [now]);
  return shown;
}

/** Wraps a component so that it is rendered again only when one of its properties changes. */
function sameProps<Props extends object>(Shown: ComponentType<Props>): (props: Props) => ComponentChildren {
  return (props) => useMemo(() => createElement(Shown, props), Object.values(props));
}

/** Shows where a run loses the facts that its answers need, the worst place first. */

const shown = 8;

function LossTable({ rows, chosen }: { readonly rows: readonly EpisodeRow[]; readonly chosen: string }) {
  const scored = rows.filter(({ lanes }) => lanes.length > 0);
  const { failures, places } = lossPlaces(scored.map((row) => ({ failed: isFailed(row), lanes: row.lanes })));
  if (scored.length === 0) return <p class="dim">No episode names the facts that its answer needs.</p>;
  if (places.length === 0) return <p class="good">No fact that an answer needed was lost.</p>;
  return (
    <>
      <p class="dim small">
        {failures} of {scored.length} episodes failed;{" "}
        {factLossesText(factLosses(scored.flatMap(({ lanes }) => lanes)))}.
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
