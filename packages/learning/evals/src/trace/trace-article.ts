import { factLanes } from "../microscope/fact-lanes.js";
import { isRead, laneEndText, laneLegend, laneMark } from "../microscope/lane-marks.js";
import { type Html, type HtmlPart, html } from "./html.js";
import type { Trace, TraceConversation, TraceMemoryStep, TraceToolCall } from "./trace-schema.js";
import { rewardText, secondsText, totalTokens } from "./trace-texts.js";
import { wordDiff } from "./word-diff.js";

/** Renders one trajectory: what was asked, the result, and every step. */
export function traceArticle(trace: Trace): Html {
  return html`<article>
<h2>${trace.task.question || trace.task.id}</h2>
${head(trace)}
${factsCard(trace)}
${storeDiff(trace)}
${trace.memorySteps.map((step, index) => memoryCard(trace, step, trace.memorySteps[index - 1]))}
${trace.conversations.filter(hasNoMemory(trace)).map((conversation) => turnCard(trace, conversation))}
</article>`;
}

function head(trace: Trace): Html {
  const tokens = totalTokens(trace);
  const cut = trace.conversations.filter(({ stopReason }) => stopReason === "length").length;
  const facts: [string, HtmlPart][] = [
    ["agent", trace.model === undefined ? trace.agent : `${trace.agent} · ${trace.model}`],
    ["task", trace.task.id],
    ...(trace.run === undefined
      ? []
      : ([
          ["run", `${trace.run}${trace.trainingStep === undefined ? "" : `, step ${trace.trainingStep}`}`],
        ] as [string, HtmlPart][])),
    ...(trace.groupId === undefined
      ? []
      : ([["group", `${trace.groupId}, episode ${trace.episodeIndex ?? 0}`]] as [string, HtmlPart][])),
    [
      "document",
      `${trace.documentTokens ?? lastRead(trace)} tokens${trace.droppedDocumentTokens > 0 ? `, ${trace.droppedDocumentTokens} of them not read` : ""}`,
    ],
    [
      "tokens",
      `${tokens.prompt} read, ${tokens.sampled} written in ${trace.conversations.length} conversations${cut > 0 ? `, ${cut} of them cut at the limit` : ""}`,
    ],
    ["time", secondsText(trace.endedAtMs - trace.startedAtMs)],
    ["policy version", versions(trace)],
    ...Object.entries(trace.counters ?? {}).map(([name, value]): [string, HtmlPart] => [
      name,
      rewardText(value),
    ]),
  ];
  return html`<section class="card">
<h4>answer</h4><pre class="text">${trace.answer || "(none)"}</pre>
${trace.failure === undefined ? "" : html`<h4 class="bad">failed</h4><pre class="text">${trace.failure}</pre>`}
${trace.task.answers.length === 0 ? "" : html`<h4>right</h4><pre class="text">${trace.task.answers.join("\n")}</pre>`}
${rewards(trace)}
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
</section>`;
}

const lastRead = ({ memorySteps }: Trace) => memorySteps.at(-1)?.documentTokenEnd ?? 0;

const versions = ({ policyVersionMin, policyVersionMax, weightsHash }: Trace) =>
  `${policyVersionMin === policyVersionMax ? policyVersionMin : `${policyVersionMin} to ${policyVersionMax}`}${weightsHash === "" ? "" : ` · weights ${weightsHash.slice(0, 12)}`}`;

function rewards({ reward }: Trace): HtmlPart {
  if (reward === undefined) return "";
  const parts = Object.entries(reward.components).map(([name, value]) => `${name} ${rewardText(value)}`);
  return html`<h4>reward</h4><p><strong class="${reward.total > 0 ? "good" : "bad"}">${rewardText(reward.total)}</strong> <span class="dim">${parts.join(" · ")}</span></p>`;
}

function memoryCard(trace: Trace, step: TraceMemoryStep, before: TraceMemoryStep | undefined): Html {
  const conversation = trace.conversations.find((other) => other.step === step.step);
  const total = trace.documentTokens ?? lastRead(trace);
  const share = total === 0 ? 0 : Math.min(100, (step.documentTokenEnd / total) * 100);
  return html`<section class="card step">
<h3>Step ${step.step + 1} <span class="dim small">document tokens ${step.documentTokenStart} to ${step.documentTokenEnd} (${share.toFixed(0)} %)</span>${conversationFacts(conversation)}</h3>
${recalled(step)}
<h4>memory${step.head === undefined ? "" : `, head ${step.head} written`}${step.memory === (before?.memory ?? "") ? " (as before)" : ""}${marks(step)}</h4>
<pre class="text">${step.memory === "" && (before?.memory ?? "") === "" ? html`<span class="dim">(empty)</span>` : diff(before?.memory ?? "", step.memory)}</pre>
${asked(step)}
${calls(trace, step.step)}
${folded("what it read", step.section)}
${folded("what the model wrote", conversation?.sampled)}
${folded("prompt", conversation?.prompt)}
</section>`;
}

const marks = ({ written, exit }: TraceMemoryStep): string =>
  `${written === undefined ? "" : written ? ", written" : ", kept by its gate"}${exit === true ? "; the reading ends here" : ""}`;

const diff = (earlier: string, later: string): HtmlPart =>
  wordDiff(earlier, later).map(({ kind, text }) =>
    kind === "same" ? text : kind === "added" ? html`<ins>${text}</ins>` : html`<del>${text}</del>`,
  );

const recalled = ({ recalled: text }: TraceMemoryStep): HtmlPart =>
  text === ""
    ? ""
    : html`<div class="recall"><h4>recalled for this step</h4><pre class="text">${text}</pre></div>`;

const asked = ({ recallQuery, found }: TraceMemoryStep): HtmlPart =>
  recallQuery === undefined
    ? ""
    : html`<div class="recall"><h4>asked back</h4><pre class="text">${recallQuery}</pre>${found === undefined ? html`<p class="dim small">nothing found</p>` : html`<h4>found</h4><pre class="text">${found}</pre>`}</div>`;

/** Returns the conversations without a memory of their own: the answer, and turns with tools. */
const hasNoMemory = (trace: Trace) => {
  const steps = new Set(trace.memorySteps.map(({ step }) => step));
  return ({ step }: TraceConversation) => !steps.has(step);
};

const kinds = { memory: "Memory update", final: "Answer", tool: "Turn" } as const;

function turnCard(trace: Trace, conversation: TraceConversation): Html {
  return html`<section class="card step">
<h3>${kinds[conversation.kind]} <span class="dim small">step ${conversation.step + 1}</span>${conversationFacts(conversation)}</h3>
${calls(trace, conversation.step)}
${conversation.sampled === undefined ? "" : html`<h4>what the model wrote</h4><pre class="text">${conversation.sampled}</pre>`}
${folded("prompt", conversation.prompt)}
</section>`;
}

function conversationFacts(conversation: TraceConversation | undefined): HtmlPart {
  if (conversation === undefined) return "";
  const { promptTokens, sampledTokens, seconds, stopReason, reward, policyVersion } = conversation;
  const time = seconds === undefined ? "" : ` · ${secondsText(seconds * 1000)}`;
  return html`<span class="dim small">${promptTokens} tokens read, ${sampledTokens} written${time} · version ${policyVersion}</span>${
    stopReason === "stop"
      ? ""
      : html`<span class="warn small">${stopReason === "length" ? "cut at its limit" : "aborted"}</span>`
  }${reward === undefined ? "" : html`<span class="small ${reward > 0 ? "good" : reward < 0 ? "bad" : "dim"}">earned ${rewardText(reward)}</span>`}`;
}

function calls({ toolCalls = [] }: Trace, step: number): HtmlPart {
  return toolCalls
    .filter((call) => call.step === step)
    .map(
      (call: TraceToolCall) =>
        html`<div class="recall"><h4>${call.name || "a call that could not be parsed"}</h4><pre class="text">${call.arguments}</pre>${
          call.result === undefined
            ? html`<p class="dim small">not answered</p>`
            : html`<h4>answered</h4><pre class="text">${call.result}</pre>`
        }</div>`,
    );
}

function storeDiff({ storeDiff: changes }: Trace): HtmlPart {
  if (changes === undefined) return "";
  const { created, updated, deleted } = changes;
  const record = ({ id, content, memoryType }: (typeof created)[number]) =>
    html`<dt>${id} <span class="small">${memoryType}</span></dt><dd>${content}</dd>`;
  return html`<section class="card"><h3>Store <span class="dim small">${created.length} created, ${updated.length} updated, ${deleted.length} deleted</span></h3>
${created.length === 0 ? "" : html`<h4>created</h4><dl>${created.map(record)}</dl>`}
${updated.length === 0 ? "" : html`<h4>updated</h4><dl>${updated.map(record)}</dl>`}
${deleted.length === 0 ? "" : html`<h4>deleted</h4><p>${deleted.join(", ")}</p>`}
</section>`;
}

const folded = (title: string, text: string | undefined): HtmlPart =>
  text === undefined || text === ""
    ? ""
    : html`<details><summary>${title}</summary><pre class="text">${text}</pre></details>`;

/** Renders the facts that an answer needs and their lanes through the episode, as the dashboard shows them. */

function factsCard(trace: Trace): HtmlPart {
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
