import { createHash } from "node:crypto";
import { checkKind, checkParts } from "@palimpsest/std/input";
import { EvaluationError } from "../error.js";
import { Html, type HtmlPart, html } from "./html.js";
import { traceArticle } from "./trace-article.js";
import type { Trace } from "./trace-schema.js";
import { rewardText, secondsText, totalTokens } from "./trace-texts.js";
import { viewerScript } from "./viewer-script.js";
import { viewerStyle } from "./viewer-style.js";

const sha256 = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page may run only its own script and style, which are identified by their hashes, and may load nothing. */
const policy = `default-src 'none'; script-src ${sha256(viewerScript)}; style-src ${sha256(viewerStyle)}; base-uri 'none'; form-action 'none'`;

/**
 * Renders traces as one HTML file that needs no server and no network. Text of a trace is shown as text, whatever it
 * contains.
 * @param title default: the number of trajectories
 */
export function traceHtml(traces: readonly Trace[], options: { readonly title?: string } = {}): string {
  const refuse = (problem: string) => new EvaluationError("BAD_TRACE", problem);
  checkKind(traces, "traces of traceHtml()", "a list", refuse);
  for (const trace of traces) {
    checkKind(trace, "a trace of traceHtml()", "an object", refuse);
    checkKind(trace.conversations, "a trace of traceHtml(): conversations", "a list", refuse);
  }
  checkParts(options, "options of traceHtml()", { "title?": "a text" }, refuse);
  const { title = `${traces.length} ${traces.length === 1 ? "trajectory" : "trajectories"}` } = options;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="palimpsest trace view">
<title>${title}</title>
<style>${new Html(viewerStyle)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<button id="diff" title="key d">diff / plain</button>
<button id="theme" title="key t">light / dark</button>
<button id="keys" title="key ?">keys</button>
</header>
<div class="layout">
<nav aria-label="trajectories">
<div class="tools">
<input id="search" type="search" placeholder="search all texts ( / )" aria-label="search all texts">
<select id="sort" aria-label="order">${sortOptions()}</select>
</div>
<div class="dim small"><span id="found">${traces.length} of ${traces.length}</span> shown</div>
<ol id="list">${traces.map(row)}</ol>
</nav>
<main id="main" tabindex="-1"><noscript>This page needs its script to show one trajectory at a time; allow scripts for local files.</noscript></main>
</div>
<dialog id="help">${keyTable()}</dialog>
<script>${new Html(viewerScript)}</script>
</body>
</html>
`.markup;
}

function row(trace: Trace, index: number): Html {
  const tokens = totalTokens(trace);
  const steps = trace.memorySteps.length;
  return html`<li data-order="${index}" data-reward="${trace.reward?.total}" data-steps="${steps}" data-tokens="${tokens.sampled}" data-seconds="${(trace.endedAtMs - trace.startedAtMs) / 1000}"><button type="button"><span class="question">${trace.task.question || trace.task.id}</span>
<span class="small dim">${trace.agent} · ${rewardPart(trace)} · ${steps} ${steps === 1 ? "step" : "steps"} · ${tokens.sampled} tokens · ${secondsText(trace.endedAtMs - trace.startedAtMs)}</span></button><template>${traceArticle(trace)}</template></li>
`;
}

function rewardPart(trace: Trace): HtmlPart {
  if (trace.failure !== undefined) return html`<span class="bad">failed</span>`;
  if (trace.reward === undefined) return "not scored";
  const kind = trace.reward.total > 0 ? "good" : "bad";
  return html`<span class="${kind}">reward ${rewardText(trace.reward.total)}</span>`;
}

const orders = [
  ["order up", "as in the file"],
  ["reward down", "highest reward"],
  ["reward up", "lowest reward"],
  ["steps down", "most steps"],
  ["tokens down", "most tokens"],
  ["seconds down", "longest time"],
] as const;

const sortOptions = () => orders.map(([value, text]) => html`<option value="${value}">${text}</option>`);

const keyRows = [
  ["j  ↓", "next step"],
  ["k  ↑", "step before"],
  ["Home  End", "first and last step"],
  ["n  →", "next trajectory"],
  ["p  ←", "trajectory before"],
  ["/", "search; Esc leaves it"],
  ["d", "show the memory as a diff from the previous step, or plain"],
  ["t", "light or dark"],
  ["?", "this list"],
] as const;

const keyTable = () =>
  html`<dl>${keyRows.map(
    ([keys, what]) =>
      html`<dt>${keys.split("  ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd>`,
  )}</dl><form method="dialog"><button>close</button></form>`;
