/** Renders the facts that an answer needs and their lanes through the episode, as the dashboard shows them. */
import { factLanes } from "../microscope/fact-lanes.js";
import { isRead, laneEndText, laneLegend, laneMark } from "../microscope/lane-marks.js";
import { type HtmlPart, html } from "./html.js";
import type { Trace } from "./trace-schema.js";
import { rewardText } from "./trace-texts.js";

export function factsCard(trace: Trace): HtmlPart {
  const lanes = factLanes(trace);
  const steps = lanes[0]?.steps ?? [];
  if (steps.length === 0) return "";
  const numbers = [
    { name: "step reward", of: new Map(trace.conversations.map(({ step, reward }) => [step, reward])) },
    { name: "advantage", of: new Map(trace.conversations.map(({ step, advantage }) => [step, advantage])) },
  ].filter(({ of }) => [...of.values()].some((value) => value !== undefined));
  return html`<div class="card"><h3>Facts that the answer needs</h3>
<div class="wide"><table class="lanes"><thead><tr><th scope="col">fact</th>${steps.map((_, at) => html`<th scope="col">${at + 1}</th>`)}<th scope="col">in the end</th></tr></thead>
<tbody>${lanes.map(
    (lane) =>
      html`<tr><th scope="row"><strong>${lane.fact.name}</strong> <span class="dim small">${lane.fact.text}</span></th>${lane.steps.map(
        (step) => {
          const { sign, tone, text } = laneMark(step);
          return html`<td class="${tone}${isRead(step) ? " read" : ""}" title="${text}">${sign}</td>`;
        },
      )}<td class="${lane.end === "kept" ? "good" : "bad"}">${laneEndText(lane)}</td></tr>`,
  )}${numbers.map(
    ({ name, of }) =>
      html`<tr><th scope="row">${name}</th>${steps.map(({ step }) => {
        const value = of.get(step);
        return html`<td class="small">${value === undefined ? "" : rewardText(value)}</td>`;
      })}<td></td></tr>`,
  )}</tbody></table></div>
<p class="dim small">${laneLegend}</p></div>`;
}
