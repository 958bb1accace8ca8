/** Shows the episodes of one question side by side, chunk beside chunk. */
import type { Trace } from "@palimpsest/evals/trace-schema";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { EpisodeRow } from "../../../src/api/runs.js";
import { place } from "../data/route.js";
import { messageOf } from "../data/session.js";
import { numberText } from "../parts/format.js";
import { Card, Problem } from "../parts/state.js";
import { episodeLink } from "../runs/episode-link.js";
import { lanesOf, openEpisode } from "./open-episode.js";

const most = 32;

/** Yields to the browser, so that it handles pressed keys and renders frames first. */
const rest = async () => await new Promise<void>((resolve) => setTimeout(resolve, 0));

export function GroupView({ run, generation, members, at, phrase }: GroupViewProps) {
  const traces = useSignal<readonly (readonly [EpisodeRow, Trace])[]>([]);
  const problem = useSignal("");
  const key = members.map((member) => member.id).join();
  useEffect(() => {
    let over = false;
    // Members stay visible when only their indices have changed.
    if (
      traces.value.map(([{ id }]) => id).join() !==
      members
        .slice(0, most)
        .map(({ id }) => id)
        .join()
    )
      traces.value = [];
    if (members.length < 2) return undefined;
    // Each episode is loaded in a task of its own, so that a pressed key waits for one of them and not for all.
    const load = async () => {
      const all: (readonly [EpisodeRow, Trace])[] = [];
      for (const member of members.slice(0, most)) {
        await rest();
        if (over) return;
        const trace = await openEpisode(run, member.at, generation);
        lanesOf(trace, phrase);
        all.push([member, trace]);
      }
      if (!over) traces.value = all;
    };
    load().catch((reason: unknown) => {
      if (!over) problem.value = messageOf(reason);
    });
    return () => {
      over = true;
    };
  }, [key, run, generation]);
  if (members.length < 2) return null;
  const { query } = place.value;
  const chunks = Math.max(0, ...traces.value.map(([, trace]) => trace.memorySteps.length));
  return (
    <Card
      title={
        members[0]?.origin === "eval"
          ? `The same question in ${members.length} evaluations`
          : `Its group: ${members.length} episodes of the same question`
      }
    >
      <Problem text={problem.value} />
      <div class="wide" tabIndex={0} role="group" aria-label="The group's lanes">
        <table class="lanes group">
          <thead>
            <tr>
              <th scope="col">episode</th>
              <th scope="col">reward</th>
              <th scope="col">fact</th>
              {Array.from({ length: chunks }, (_, chunk) => (
                <th key={`${chunk + 1}`} scope="col">
                  {chunk + 1}
                </th>
              ))}
              <th scope="col">answer</th>
            </tr>
          </thead>
          {traces.value.map(([own, trace]) => {
            const lanes = lanesOf(trace, phrase);
            return (
              <tbody key={own.id} class={own.at === at ? "here" : ""}>
                {(lanes.length > 0 ? lanes : [undefined]).map((lane, index) => (
                  <tr key={lane ? `${lane.fact.name}-${index}` : "none"}>
                    {index === 0 ? (
                      <>
                        <th scope="rowgroup" rowSpan={Math.max(1, lanes.length)}>
                          <a
                            href={episodeLink(run, own, query)}
                            aria-current={own.at === at ? "true" : undefined}
                          >
                            {own.origin === "eval"
                              ? `after step ${own.step ?? "–"}`
                              : `#${trace.episodeIndex ?? own.at}`}
                          </a>
                        </th>
                        <td rowSpan={Math.max(1, lanes.length)}>
                          {trace.reward === undefined ? "–" : numberText(trace.reward.total)}
                        </td>
                      </>
                    ) : null}
                    <td class="small">{lane?.fact.name ?? ""}</td>
                    {Array.from({ length: chunks }, (_, chunk) => {
                      const step = lane?.steps[chunk];
                      const sign =
                        step === undefined
                          ? ""
                          : step.event === "lost"
                            ? "✕"
                            : step.event === "missed"
                              ? "○"
                              : step.memory === "exact"
                                ? "■"
                                : step.memory === "rephrased"
                                  ? "▣"
                                  : "·";
                      const tone = sign === "✕" || sign === "○" ? "bad" : sign === "·" ? "dim" : "good";
                      return (
                        <td key={`${chunk + 1}`} class={tone}>
                          {sign}
                        </td>
                      );
                    })}
                    {index === 0 ? (
                      <td class="small" rowSpan={Math.max(1, lanes.length)}>
                        {(trace.failure ?? trace.answer).slice(0, 120)}
                      </td>
                    ) : null}
                  </tr>
                ))}
              </tbody>
            );
          })}
        </table>
      </div>
      {members.length > most ? <p class="warn">Only the first {most} are shown.</p> : null}
    </Card>
  );
}

interface GroupViewProps {
  readonly run: string;
  readonly generation: number;
  readonly members: readonly EpisodeRow[];
  readonly at: number;
  readonly phrase: string;
}
