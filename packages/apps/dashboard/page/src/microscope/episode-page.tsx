/** Shows one episode under the microscope, with the others of its group beside it. */
import type { Trace } from "@palimpsest/evals/trace-schema";
import { useEffect, useMemo } from "preact/hooks";
import type { EpisodeRow } from "../../../src/api/runs.js";
import { goTo, place, withQuery } from "../data/route.js";
import { FilterField } from "../parts/filter-field.js";
import { numberText } from "../parts/format.js";
import { Card, Loading, Problem } from "../parts/state.js";
import { filtered, filterOf } from "../runs/episode-filter.js";
import { episodeLink, rowAt } from "../runs/episode-link.js";
import { useEpisodes } from "../runs/use-episodes.js";
import { isOwnKey } from "../shell/single-keys.js";
import { ChunkView } from "./chunk-view.js";
import { GroupView } from "./group-view.js";
import { LaneTable } from "./lane-table.js";
import { lanesOf, openEpisode, useEpisode } from "./open-episode.js";

/** @param at index in the address, which is out of date when old traces were removed meanwhile */
export function EpisodePage({ run, at: addressed }: { readonly run: string; readonly at: number }) {
  const known = useEpisodes(run);
  const { query } = place.value;
  const id = query.get("id") ?? "";
  const row = useMemo(() => rowAt(known.rows, addressed, id), [known.rows, addressed, id]);
  const at = row?.at ?? addressed;
  const { trace, error } = useEpisode(run, at, known.generation, id);
  useEffect(() => {
    if (row && row.at !== addressed) goTo(episodeLink(run, row, query), { replace: true });
  }, [row, addressed]);
  const filter = filterOf(query);
  // The rows do not depend on the query's chunk, which changes with each key, so they are not filtered again for it.
  const shown = useMemo(() => filtered(known.rows, filter), [known.rows, ...Object.values(filter)]);
  const group = useMemo(() => groupOf(known.rows, row), [known.rows, row]);
  const chunk = Number(query.get("chunk") ?? 0);
  const phrase = query.get("phrase") ?? "";
  const lanes = trace ? lanesOf(trace, phrase) : [];
  const count = trace
    ? Math.max(trace.memorySteps.length, trace.memorySteps.length > 0 ? 0 : trace.conversations.length)
    : 0;
  useEffect(() => {
    const position = shown.findIndex((one) => one.at === at);
    const next = shown[position + 1];
    // The next episode is loaded ahead of the reader.
    if (next) openEpisode(run, next.at, known.generation).catch(() => undefined);
    const press = (event: KeyboardEvent) => {
      if (!isOwnKey(event)) return;
      const step = (to: number) =>
        goTo(withQuery({ chunk: String(Math.max(0, Math.min(count - 1, to))) }), { replace: true });
      const move = (to: EpisodeRow | undefined) => {
        if (to === undefined) return;
        const kept = new URLSearchParams(query);
        kept.delete("chunk");
        goTo(episodeLink(run, to, kept));
      };
      if (event.key === "j") step(chunk + 1);
      else if (event.key === "k") step(chunk - 1);
      else if (event.key === "n") move(next);
      else if (event.key === "p") move(shown[position - 1]);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  const isGone = id !== "" && row === undefined && known.complete;
  const gone = `run ${run} no longer has episode ${id}: the traces of old steps are removed`;
  if (trace === undefined) return isGone || error ? <Problem text={isGone ? gone : error} /> : <Loading />;
  return (
    <div data-episode={at}>
      <EpisodeHead trace={trace} row={row} group={group} />
      <Card title="Facts that the answer needs">
        <p class="tools">
          <FilterField
            label="Follow a phrase"
            hint="follow a phrase of your own"
            value={phrase}
            onText={(text) => goTo(withQuery({ phrase: text }), { replace: true })}
          />
          <span class="dim small">j and k go from chunk to chunk, n and p from episode to episode</span>
        </p>
        {lanes.length === 0 ? (
          <p class="dim">
            This episode does not name the facts that its answer needs: type a phrase to follow.
          </p>
        ) : (
          <LaneTable lanes={lanes} trace={trace} chunk={chunk} />
        )}
      </Card>
      {count > 0 ? <ChunkView trace={trace} chunk={Math.min(chunk, count - 1)} lanes={lanes} /> : null}
      <GroupView run={run} generation={known.generation} members={group} at={at} phrase={phrase} />
    </div>
  );
}

function groupOf(rows: readonly EpisodeRow[], row: EpisodeRow | undefined): readonly EpisodeRow[] {
  if (row?.group === undefined) return [];
  // Evaluations of one question are a group over all steps: what changes between them is the policy.
  return rows.filter(
    ({ group, step }) => group === row.group && (row.origin === "eval" || step === row.step),
  );
}

function EpisodeHead({ trace, row, group }: EpisodeHeadProps) {
  const { task, answer, reward, failure, discarded, conversations } = trace;
  const trained = trainedAdvantage(trace);
  const advantage =
    trained === undefined && row && row.origin !== "eval" ? advantageIn(group, row) : undefined;
  return (
    <section class="card">
      <h2>{task.question || trace.trajectoryId}</h2>
      <dl class="facts">
        <dt>answered</dt>
        <dd>{answer || <span class="bad">nothing</span>}</dd>
        {task.answers.length > 0 ? (
          <>
            <dt>right</dt>
            <dd>{task.answers.join(" · ")}</dd>
          </>
        ) : null}
        {failure === undefined ? null : (
          <>
            <dt>failed</dt>
            <dd class="bad">{failure}</dd>
          </>
        )}
        {discarded === undefined ? null : (
          <>
            <dt>not trained</dt>
            <dd class="warn">{discarded}</dd>
          </>
        )}
        {reward === undefined ? null : (
          <>
            <dt>reward</dt>
            <dd>
              <b class={reward.total > 0 ? "good" : "bad"}>{numberText(reward.total)}</b>{" "}
              <span class="dim">
                {Object.entries(reward.components)
                  .map(([name, value]) => `${name} ${numberText(value)}`)
                  .join(" · ")}
              </span>
            </dd>
          </>
        )}
        {trained === undefined ? null : (
          <>
            <dt>advantage</dt>
            <dd>{trained}</dd>
          </>
        )}
        {advantage === undefined ? null : (
          <>
            <dt>in its group</dt>
            <dd>
              {numberText(advantage)}{" "}
              <span class="dim small">
                standard deviations above the mean reward of {group.length} episodes; recipes may compute
                advantages differently
              </span>
            </dd>
          </>
        )}
        <dt>from</dt>
        <dd class="dim">
          {trace.agent} · step {trace.trainingStep ?? "–"} · versions {trace.policyVersionMin} to{" "}
          {trace.policyVersionMax} · {conversations.length} conversations · {trace.trajectoryId}
        </dd>
      </dl>
    </section>
  );
}

interface EpisodeHeadProps {
  readonly trace: Trace;
  readonly row: EpisodeRow | undefined;
  readonly group: readonly EpisodeRow[];
}

/**
 * Returns the advantage that the update used: one number, or the smallest and the largest of the episode's steps.
 * Undefined when the trace contains no advantage.
 */
function trainedAdvantage({ conversations }: Trace): string | undefined {
  const told = conversations.flatMap(({ advantage }) => (advantage === undefined ? [] : [advantage]));
  if (told.length === 0) return undefined;
  const [least, most] = [Math.min(...told), Math.max(...told)];
  return least === most ? numberText(least) : `${numberText(least)} to ${numberText(most)}, by step`;
}

/** Returns (reward − mean) / standard deviation of the group: 0 when all rewards are equal, undefined without two. */
function advantageIn(group: readonly EpisodeRow[], { reward }: EpisodeRow): number | undefined {
  const rewards = group.flatMap((one) => (one.reward === undefined ? [] : [one.reward]));
  if (reward === undefined || rewards.length < 2) return undefined;
  const mean = rewards.reduce((sum, one) => sum + one, 0) / rewards.length;
  const deviation = Math.sqrt(rewards.reduce((sum, one) => sum + (one - mean) ** 2, 0) / rewards.length);
  return deviation === 0 ? 0 : (reward - mean) / deviation;
}
