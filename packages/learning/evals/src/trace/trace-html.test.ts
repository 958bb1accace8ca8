import { Window } from "happy-dom";
import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from "parse5";
import { describe, expect, it } from "vitest";
import { plantedEpisode } from "../microscope/planted.fixture.js";
import { aStep, aTrace, aTurn } from "./testing.js";
import { traceHtml } from "./trace-html.js";
import type { Trace } from "./trace-schema.js";

type Node = DefaultTreeAdapterTypes.Node;

/** Returns every element as a browser's parser sees it, including templates. */
function elements(page: string): DefaultTreeAdapterTypes.Element[] {
  const found: DefaultTreeAdapterTypes.Element[] = [];
  const visit = (node: Node) => {
    if (tree.isElementNode(node)) found.push(node);
    if (node.nodeName === "template") visit((node as DefaultTreeAdapterTypes.Template).content);
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(page));
  return found;
}

const hostile = [
  "</script><script>alert(1)</script>",
  "</pre></template></li><img src=x onerror=alert(1)>",
  "\"><svg onload='alert(1)'>",
  "' onmouseover='alert(1)",
  "<!-- --!> <![CDATA[ ]]> <style>*{display:none}</style>",
  "</title><base href=//evil.example>",
  "{{x}} `x` &lt;script&gt; \u0000 \u2028 \u202e",
  "<iframe srcdoc='<script>1</script>'><noscript><p title='</noscript><img src=x onerror=1>'>",
];

/** Builds a trace in which every text is hostile. */
function hostileTrace(text: string, index: number): Trace {
  return aTrace({
    trajectoryId: text,
    agent: text,
    model: text,
    run: text,
    groupId: text,
    task: { id: text, question: text, answers: [text, text] },
    answer: text,
    failure: text,
    reward: { total: index, components: { [text]: 1 } },
    weightsHash: text,
    counters: { [text]: 2 },
    conversations: [aTurn(0, { prompt: text, sampled: text }), aTurn(1, { kind: "tool", sampled: text })],
    memorySteps: [aStep(0, text, { section: text, recalled: text, recallQuery: text, found: text })],
    toolCalls: [{ step: 1, name: text, arguments: text, result: text }],
    storeDiff: {
      created: [{ id: text, content: text, memoryType: text, provenance: [], metadata: {} }],
      updated: [{ id: text, content: text, memoryType: text, provenance: [], metadata: {} }],
      deleted: [text],
    },
  });
}

describe("traceHtml", () => {
  it("holds the same elements whatever the texts say: nothing breaks out", () => {
    const shape = (texts: readonly string[]) =>
      elements(traceHtml(texts.map(hostileTrace), { title: texts[0] as string })).map(
        ({ tagName, attrs }) => `${tagName} ${attrs.map(({ name }) => name).join(" ")}`,
      );
    expect(shape(hostile)).toEqual(shape(hostile.map(() => "harmless")));
  });

  it("shows every text as it is", () => {
    for (const [index, text] of hostile.entries()) {
      const page = elements(traceHtml([hostileTrace(text, index)]));
      const shown = page.filter(({ tagName }) => tagName === "pre").map(textOf);
      const expected = text.replaceAll("\u0000", "\ufffd");
      expect(shown.filter((other) => other === expected).length).toBeGreaterThan(8);
    }
  });

  it("loads nothing, and says by its policy that only its own script may run", () => {
    const page = elements(traceHtml([aTrace()]));
    const attributes = page.flatMap(({ attrs }) => attrs.map(({ name, value }) => ({ name, value })));
    expect(attributes.filter(({ name }) => ["src", "href", "action", "style"].includes(name))).toEqual([]);
    expect(attributes.filter(({ name }) => name.startsWith("on"))).toEqual([]);
    const policy = attributes.find(({ value }) => value.startsWith("default-src"))?.value;
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/);
    expect(policy).not.toContain("unsafe");
  });
});

const textOf = (element: DefaultTreeAdapterTypes.Element): string =>
  element.childNodes
    .map((child) => (tree.isTextNode(child) ? child.value : tree.isElementNode(child) ? textOf(child) : ""))
    .join("");

const three = [
  aTrace({
    task: { id: "1", question: "what does tom like?", answers: ["figs"] },
    reward: { total: 0.5, components: {} },
    memorySteps: [aStep(0, "tom likes tea"), aStep(1, "tom likes figs", { recalled: "an earlier note" })],
    conversations: [
      aTurn(0),
      aTurn(1, { reward: 0.25, stopReason: "length", seconds: 1.5 }),
      aTurn(2, { kind: "final" }),
    ],
  }),
  aTrace({ task: { id: "2", question: "not scored", answers: [] }, memorySteps: [aStep(0, "harbour")] }),
  aTrace({ task: { id: "3", question: "best", answers: [] }, reward: { total: 1, components: {} } }),
];

function openPage(traces: readonly Trace[], hash = "") {
  const window = new Window({
    url: `https://traces.example/page.html${hash}`,
    settings: { enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true },
  });
  window.document.write(traceHtml(traces));
  const { document } = window;
  const $ = (selector: string) => document.querySelector(selector);
  return {
    text: (selector: string) => $(selector)?.textContent ?? "",
    hash: () => window.location.hash,
    theme: () => [document.documentElement.dataset["view"], document.documentElement.dataset["theme"]],
    rows: () =>
      [...document.querySelectorAll("#list li")]
        .filter((row) => !row.hasAttribute("hidden"))
        .map((row) => row.querySelector(".question")?.textContent),
    press: (key: string) =>
      document.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true })),
    click: (selector: string) => ($(selector) as unknown as { click(): void }).click(),
    fill: (selector: string, value: string, event: string) => {
      ($(selector) as unknown as { value: string }).value = value;
      $(selector)?.dispatchEvent(new window.Event(event, { bubbles: true }));
    },
  };
}

describe("the page of traces", () => {
  it("shows the first trajectory: each memory as a diff to the one before, what was recalled and earned", () => {
    const page = openPage(three);
    expect(page.text("#main h2")).toBe("what does tom like?");
    expect(page.text("#main .step:nth-of-type(3) ins")).toBe("figs");
    expect(page.text("#main .step:nth-of-type(3) del")).toBe("tea");
    expect(page.text("#main .step:nth-of-type(3) .recall")).toContain("an earlier note");
    expect(page.text("#main .step:nth-of-type(3) h3")).toMatch(/1\.50 s.*cut at its limit.*earned 0\.25/s);
  });

  it("goes through trajectories and steps by keys, and its address names the place", () => {
    const page = openPage(three);
    page.press("j");
    page.press("j");
    expect(page.text(".current h3")).toContain("Step 2");
    expect(page.hash()).toBe("#0.1");
    page.press("k");
    expect(page.text(".current h3")).toContain("Step 1");
    page.press("End");
    expect(page.text(".current h3")).toContain("Answer");
    page.press("n");
    expect(page.text("#main h2")).toBe("not scored");
    expect(page.hash()).toBe("#1");
    page.press("p");
    page.press("p");
    expect(page.text("#main h2")).toBe("what does tom like?");
    page.press("d");
    page.press("t");
    expect(page.theme()).toEqual(["plain", expect.stringMatching(/dark|light/)]);
  });

  it("opens at the place that its address names", () => {
    const page = openPage(three, "#0.1");
    expect(page.text(".current h3")).toContain("Step 2");
  });

  it("searches all texts, memories too", () => {
    const page = openPage(three);
    page.fill("#search", "HARB not", "input");
    expect(page.rows()).toEqual(["not scored"]);
    expect(page.text("#main h2")).toBe("not scored");
    expect(page.text("#found")).toBe("1 of 3");
    page.fill("#search", "", "input");
    expect(page.rows()).toHaveLength(3);
  });

  it("sorts, with what has no reward at the end either way", () => {
    const page = openPage(three);
    page.fill("#sort", "reward down", "change");
    expect(page.rows()).toEqual(["best", "what does tom like?", "not scored"]);
    page.fill("#sort", "reward up", "change");
    expect(page.rows()).toEqual(["what does tom like?", "best", "not scored"]);
    page.fill("#sort", "order up", "change");
    expect(page.rows()).toEqual(["what does tom like?", "not scored", "best"]);
    page.click("[data-order='2'] button");
    expect(page.text("#main h2")).toBe("best");
  });
});

describe("the lanes of an episode's facts", () => {
  it("stand in the page as the dashboard shows them: read, kept, lost", () => {
    const { trace, facts } = plantedEpisode(3);
    const window = new Window();
    window.document.body.innerHTML =
      traceHtml([trace], { title: "t" }).match(/<table class="lanes">[\s\S]*?<\/table>/)?.[0] ?? "";
    const rows = [...window.document.querySelectorAll("tbody tr")];
    expect(rows).toHaveLength(facts.length);
    facts.forEach(({ seenAt, lostAt }, index) => {
      const cells = [...(rows[index]?.querySelectorAll("td") ?? [])];
      expect(cells[seenAt]?.className).toContain("read");
      if (lostAt !== undefined) expect(cells[lostAt]?.textContent).toBe("✕");
    });
  });
});
