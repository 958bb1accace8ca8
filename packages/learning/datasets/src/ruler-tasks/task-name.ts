/**
 * How an answer is scored: by the share of its references that the reply contains ("all"), or by whether it contains
 * any of them ("part").
 */
type RulerRule = "all" | "part";

interface NeedleShape {
  readonly family: "needle";
  readonly haystack: "noise" | "essay" | "needles";
  readonly keys: "words" | "uuids";
  readonly values: "numbers" | "uuids";
  /** Number of keys that occur in the text, of values of each requested key, and of keys that are requested. */
  readonly keyCount: number;
  readonly valueCount: number;
  readonly askedCount: number;
}

interface OtherShape {
  readonly family: "variables" | "common-words" | "frequent-words" | "questions";
}

/**
 * The 13 tasks as RULER configures them.
 * Source: NVIDIA/RULER, scripts/synthetic.yaml and scripts/data/synthetic/constants.py; arXiv:2404.06654.
 */
export type RulerTaskFacts = (NeedleShape | OtherShape) & {
  readonly rule: RulerRule;
  /** Tokens that RULER reserves for the reply; they count toward the length. */
  readonly replyTokens: number;
};

const needle = (shape: Partial<NeedleShape>): RulerTaskFacts => ({
  family: "needle",
  haystack: "essay",
  keys: "words",
  values: "numbers",
  keyCount: 1,
  valueCount: 1,
  askedCount: 1,
  ...shape,
  rule: "all",
  replyTokens: 128,
});

const facts = {
  niah_single_1: needle({ haystack: "noise" }),
  niah_single_2: needle({}),
  niah_single_3: needle({ values: "uuids" }),
  niah_multikey_1: needle({ keyCount: 4 }),
  niah_multikey_2: needle({ haystack: "needles" }),
  niah_multikey_3: needle({ haystack: "needles", keys: "uuids", values: "uuids" }),
  niah_multivalue: needle({ valueCount: 4 }),
  niah_multiquery: needle({ keyCount: 4, askedCount: 4 }),
  vt: { family: "variables", rule: "all", replyTokens: 30 },
  cwe: { family: "common-words", rule: "all", replyTokens: 120 },
  fwe: { family: "frequent-words", rule: "all", replyTokens: 50 },
  qa_1: { family: "questions", rule: "part", replyTokens: 32 },
  qa_2: { family: "questions", rule: "part", replyTokens: 32 },
} as const satisfies Readonly<Record<string, RulerTaskFacts>>;

/** The names of RULER's tasks. */
export type RulerTaskName = keyof typeof facts;

/** All names of RULER's tasks. */
export const rulerTaskNames = Object.keys(facts) as readonly RulerTaskName[];

export const rulerTaskFacts = (name: RulerTaskName): RulerTaskFacts => facts[name];

export type NeedleFacts = NeedleShape & RulerTaskFacts;
