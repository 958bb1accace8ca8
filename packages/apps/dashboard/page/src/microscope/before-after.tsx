/**
 * Shows how one question was answered before and after training: what each chunk said, and what the memory held after
 * it. This is what a run opens on.
 */
import { type FactLane, laneMark, wordDiff } from "@palimpsest/evals/microscope";
import type { Trace } from "@palimpsest/evals/trace-schema";
import { useMemo } from "preact/hooks";
import { type EpisodePair, episodePairs, isRight } from "../../../src/analysis/episode-pairs.js";
import type { EpisodeRow } from "../../../src/api/runs.js";
import { goTo, place, withQuery } from "../data/route.js";
import { Problem } from "../parts/state.js";
import { episodeLink } from "../runs/episode-link.js";
import { lanesOf, useEpisode } from "./open-episode.js";

export function BeforeAfter({ run, rows, generation }: BeforeAfterProps) {
  const pairs = useMemo(() => episodePairs(rows), [rows]);
  const at = Math.min(pairs.length - 1, Math.max(0, Number(place.value.query.get("pair") ?? 0) || 0));
  const pair = pairs[at];
  if (pair === undefined) return null;
  const right = (of: keyof EpisodePair) => pairs.filter((one) => isRight(one[of])).length;
  const go = (to: number) => goTo(withQuery({ pair: to === 0 ? "" : String(to) }), { replace: true });
  return (
    <section class="card before-after" data-pairs={pairs.length}>
      <div class="title">
        <h2>What it kept, before and after</h2>
        <p class="tools">
          <button type="button" disabled={at === 0} onClick={() => go(at - 1)}>
            ← Previous
          </button>
          <span class="dim small">
            question {at + 1} of {pairs.length}
          </span>
          <button type="button" disabled={at === pairs.length - 1} onClick={() => go(at + 1)}>
            Next question →
          </button>
        </p>
      </div>
      <p class="dim">
        The agent reads the document from left to right and keeps nothing but its memory. Of these{" "}
        {pairs.length} questions it answered <b class="bad">{right("before")}</b> right before training and{" "}
        <b class="good">{right("after")}</b> after {pair.after.step} steps.
      </p>
      <Strips run={run} pair={pair} generation={generation} />
    </section>
  );
}

interface BeforeAfterProps {
  readonly run: string;
  readonly rows: readonly EpisodeRow[];
  readonly generation: number;
}

function Strips({ run, pair: { before, after }, generation }: StripsProps) {
  const first = useEpisode(run, before.at, generation, before.id);
  const last = useEpisode(run, after.at, generation, after.id);
  if (first.trace === undefined || last.trace === undefined)
    return <Problem text={first.error || last.error} />;
  const { task } = last.trace;
  const lanes = lanesOf(last.trace, "");
  const sections = last.trace.memorySteps.map(({ section = "" }) => section);
  const facts = lanes.map(({ fact }) => fact.text);
  return (
    <>
      <p class="question">
        {task.question.trim()} <span class="dim">right: {task.answers.join(" or ").trim()}</span>
      </p>
      <div class="wide" tabIndex={0} role="group" aria-label="Memories before and after training">
        <table class="strips">
          <thead>
            <tr>
              <th scope="col">chunk</th>
              {sections.map((_, chunk) => (
                <th key={`${chunk + 1}`} scope="col">
                  {chunk + 1}
                </th>
              ))}
              <th scope="col">answer</th>
            </tr>
          </thead>
          <tbody>
            <tr class="sections">
              <th scope="row">it reads</th>
              {sections.map((section, chunk) => (
                <td key={`${chunk + 1}`} class={isReadIn(lanes, chunk) ? "read" : ""}>
                  <Marked text={section} facts={facts} />
                </td>
              ))}
              <td />
            </tr>
            <Memories name="memory before training" row={before} trace={first.trace} run={run} />
            <Memories name={`memory after ${after.step} steps`} row={after} trace={last.trace} run={run} />
          </tbody>
        </table>
      </div>
      <p class="dim small">
        framed: the chunk that says what the answer needs · ▶ it enters the memory · ■ it is kept · ✕ it is
        lost · ○ it was read and not kept
      </p>
    </>
  );
}

interface StripsProps {
  readonly run: string;
  readonly pair: EpisodePair;
  readonly generation: number;
}

const isReadIn = (lanes: readonly FactLane[], chunk: number) =>
  lanes.some(({ steps }) => steps[chunk]?.seen !== undefined && steps[chunk]?.seen !== "no");

function Memories({ name, row, trace, run }: MemoriesProps) {
  const lanes = lanesOf(trace, "");
  const good = isRight(row);
  return (
    <tr>
      <th scope="row">
        <a href={episodeLink(run, row, new URLSearchParams())}>{name}</a>
      </th>
      {trace.memorySteps.map(({ step, memory }, chunk) => {
        const marks = lanes.flatMap(({ steps }) => (steps[chunk] ? [laneMark(steps[chunk])] : []));
        const tone = marks.some((mark) => mark.tone === "bad")
          ? "bad"
          : marks.some((mark) => mark.tone === "good")
            ? "good"
            : "";
        return (
          <td key={step} class={`memory ${tone}`} title={marks.map(({ text }) => text).join("; ")}>
            <span class="sign" aria-hidden="true">
              {marks.map(({ sign }) => (sign === "·" || sign === "?" ? "" : sign)).join(" ")}
            </span>
            <Change before={trace.memorySteps[chunk - 1]?.memory ?? ""} after={memory} />
          </td>
        );
      })}
      <td class={`answer ${good ? "good" : "bad"}`}>
        <span aria-hidden="true">{good ? "✓" : "✕"}</span> {trace.answer.trim() || "nothing"}
        <span class="unseen">{good ? ", right" : ", wrong"}</span>
      </td>
    </tr>
  );
}

interface MemoriesProps {
  readonly name: string;
  readonly row: EpisodeRow;
  readonly trace: Trace;
  readonly run: string;
}

/** The memory after a chunk, in which what the chunk added stands out. */
function Change({ before, after }: { readonly before: string; readonly after: string }) {
  if (after.trim() === "") return <span class="dim">empty</span>;
  return (
    <>
      {wordDiff(before, after)
        .filter(({ kind }) => kind !== "removed")
        .map(({ kind, text }, at) =>
          kind === "added" ? <b key={`${at}`}>{text}</b> : <span key={`${at}`}>{text}</span>,
        )}
    </>
  );
}

/** A text in which the facts stand out, where it says them word for word. */
function Marked({ text, facts }: { readonly text: string; readonly facts: readonly string[] }) {
  const [fact] = facts.map((one) => one.trim()).filter((one) => one !== "" && text.includes(one));
  if (fact === undefined) return <>{text}</>;
  const at = text.indexOf(fact);
  return (
    <>
      {text.slice(0, at)}
      <mark>{fact}</mark>
      {text.slice(at + fact.length)}
    </>
  );
}
