/** Shows a lane for each fact over the chunks, and what each step earned. */
import { type FactLane, isRead, laneEndText, laneLegend, laneMark } from "@palimpsest/evals/microscope";
import type { Trace } from "@palimpsest/evals/trace-schema";
import { useEffect, useRef } from "preact/hooks";
import { withQuery } from "../data/route.js";
import { numberText } from "../parts/format.js";

export function LaneTable({ lanes, trace, chunk }: LaneTableProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    frame.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chunk]);
  const steps = lanes[0]?.steps ?? [];
  const numbers = [
    { name: "step reward", of: new Map(trace.conversations.map(({ step, reward }) => [step, reward])) },
    { name: "advantage", of: new Map(trace.conversations.map(({ step, advantage }) => [step, advantage])) },
  ].filter(({ of }) => [...of.values()].some((value) => value !== undefined));
  return (
    <div class="wide" ref={frame} tabIndex={0} role="group" aria-label="Lanes of the facts">
      <table class="lanes">
        <thead>
          <tr>
            <th scope="col">fact</th>
            {steps.map(({ step }, at) => (
              <th key={step} scope="col">
                <a href={withQuery({ chunk: String(at) })} aria-current={at === chunk ? "true" : undefined}>
                  {at + 1}
                </a>
              </th>
            ))}
            <th scope="col">in the end</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane, place) => (
            <tr key={`${lane.fact.name}-${place}`}>
              <th scope="row">
                <b>{lane.fact.name}</b> <span class="dim small">{lane.fact.text}</span>
              </th>
              {lane.steps.map((step, at) => {
                const mark = laneMark(step);
                return (
                  <td
                    key={step.step}
                    class={`${mark.tone} ${at === chunk ? "here" : ""} ${isRead(step) ? "read" : ""}`}
                    data-event={step.event}
                  >
                    <span title={mark.text} role="img" aria-label={`chunk ${at + 1}: ${mark.text}`}>
                      {mark.sign}
                    </span>
                  </td>
                );
              })}
              <td class={lane.end === "kept" ? "good" : "bad"}>{laneEndText(lane)}</td>
            </tr>
          ))}
          {numbers.map(({ name, of }) => (
            <tr key={name}>
              <th scope="row">
                <b>{name}</b>
              </th>
              {steps.map(({ step }, at) => {
                const value = of.get(step);
                return (
                  <td key={step} class={at === chunk ? "here small" : "small"}>
                    {value === undefined ? "" : numberText(value)}
                  </td>
                );
              })}
              <td />
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim small">{laneLegend}</p>
    </div>
  );
}

interface LaneTableProps {
  readonly lanes: readonly FactLane[];
  readonly trace: Trace;
  readonly chunk: number;
}
