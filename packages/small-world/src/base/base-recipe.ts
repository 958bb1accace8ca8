import { builtInAgentSchema } from "@palimpsest/agents";
import { z } from "zod";
import { rulerConfigSchema } from "../tasks/ruler-config.js";

const chance = z.number().min(0).max(1);
const { names, values, places, fillers, likesSentence, originSentence, needleQuestion, twoHopQuestion } =
  rulerConfigSchema.shape;

/** The settings that all stages have: the number of steps, the batch, and the learning rate. */
const stage = {
  steps: z.int().min(1).describe("optimizer steps"),
  batch: z.int().min(1).describe("rows per step"),
  learningRate: z.number().positive().describe("peak"),
  warmupSteps: z.int().min(0).default(30).describe("linear rise from 0"),
  decayFrom: chance
    .default(1)
    .describe("share of the steps after which the rate falls to a twentieth; 1: never"),
};

const needlePolicy = z.strictObject({
  kind: z.literal("needle").describe("a memory of one fact, kept or overwritten"),
  answer: chance.describe("a row asks for the answer"),
  emptyMemory: chance.describe("the prompt's memory is empty"),
  rightMemory: chance.describe("it is the asked fact"),
  rightInSection: chance.describe("the section holds the asked fact"),
  keepBesideRight: chance.describe("then: the memory is kept"),
  writeRight: chance.describe("then: it becomes the asked fact"),
  keep: chance.describe("where the section does not hold it: the memory is kept"),
});

const twoHopPolicy = z.strictObject({
  kind: z.literal("two-hop").describe("a memory of up to two facts, one added to the other"),
  answer: chance.describe("a row asks for the answer"),
  emptyMemory: chance.describe("the prompt's memory is empty"),
  oneFact: chance.describe("it is one fact; else two"),
  ownFact: chance.describe("each fact of it belongs to the asked chain"),
  nextInSection: chance.describe("the section holds the chain's next fact"),
  keepBesideNext: chance.describe("then: the memory is kept"),
  takeNext: chance.describe("then: the memory takes it"),
  keep: chance.describe("where the section does not hold it: the memory is kept"),
});

const lookBackPolicy = z.strictObject({
  kind: z
    .literal("look-back")
    .describe("a memory of one fact, and of agents that recall, queries and what they find"),
  answer: chance.describe("a row asks for the answer"),
  emptyMemory: chance.describe("the prompt's memory is empty"),
  nameInMemory: chance.describe("it is the fact about the asked name"),
  recalled: chance.describe("something was recalled"),
  nameInSection: chance.describe("the section holds the fact about the asked name"),
  writeName: chance.describe("then: it becomes the memory"),
  keepName: chance.describe("a memory about the asked name is kept"),
  keep: chance.describe("elsewhere: the memory is kept"),
  askForName: chance.describe("a memory about the asked name comes with a query for what it names"),
  ask: chance.describe("any other memory does"),
  answerRecalled: chance.describe("an answer is the recalled fact's, where there is one"),
});

const storePolicy = z.strictObject({
  kind: z.literal("store").describe("searches, writes and deletes in a small store; of the agent memupdate"),
  people: z.int().min(2).describe("people whom a store knows something of"),
  search: chance.describe("begins with a search for the one whom the statement is about"),
  searchOther: chance.describe("begins with a search for somebody else"),
  createUnseen: chance.describe("begins with a new record; else it is done at once"),
  right: chance.describe("after a search: the call that the results ask for; else any other"),
  stop: chance.describe("after a change: it is done; else another call"),
});

/** The recipe of a base model: a world of words, a tokenizer for it, random weights, and three supervised stages. */
export const baseRecipeSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "lower-case letters, digits and dashes")
      .describe("names the base"),
    seed: z.int().min(0).default(1).describe("of weights and rows"),
    threads: z.int().min(1).default(2).describe("compute threads"),
    agent: builtInAgentSchema.describe("whose prompts the base learns to follow"),
    words: z
      .strictObject({
        names,
        values,
        places,
        fillers,
        likesSentence,
        originSentence,
        needleQuestion,
        twoHopQuestion,
      })
      .describe("of the question generator; training must use the same"),
    tokenizer: z
      .strictObject({
        vocabSize: z.int().min(2).describe("most ids; every word of the world must come out as one"),
      })
      .describe("byte-level BPE over the bytes that the world's texts hold"),
    model: z.strictObject({
      hiddenSize: z.int().min(1).describe("width of the residual stream"),
      layers: z.int().min(1).describe("decoder blocks"),
      heads: z.int().min(1).describe("query, key and value heads"),
      headDim: z.int().min(2).multipleOf(2).describe("width of one head"),
      intermediateSize: z.int().min(1).describe("width of the gated feed-forward layer"),
      maxPositions: z.int().min(2).describe("longest sequence, tokens"),
      projectionStd: z.number().positive().describe("standard deviation of the first projections"),
    }),
    repeat: z
      .strictObject({
        ...stage,
        minLength: z.int().min(1).describe("shortest string, tokens"),
        maxLength: z.int().min(1).describe("longest string, tokens"),
        rowTokens: z.int().min(2).describe("tokens of a row"),
      })
      .describe("first: copy random strings"),
    recall: z
      .strictObject({
        ...stage,
        facts: z.int().min(2).describe("facts shown in a row"),
        questions: z.int().min(1).describe("facts asked in a row"),
        originFraction: chance
          .default(0)
          .describe("share of the facts that say where a value is from; the rest say what a name likes"),
      })
      .describe("second: look names up"),
    format: z
      .strictObject({
        ...stage,
        fillerFraction: chance.describe("share of a section's sentences that state nothing"),
        scriptedPolicy: z
          .discriminatedUnion("kind", [needlePolicy, twoHopPolicy, lookBackPolicy, storePolicy])
          .describe("what a reader without an aim does, as chances"),
      })
      .describe("third: follow the agent's prompts, without the aim"),
  })
  .refine(({ agent, format }) => (agent.kind === "memupdate") === (format.scriptedPolicy.kind === "store"), {
    error: "the scripted policy of kind store belongs to the agent memupdate, all others to agents that read",
    path: ["format", "scriptedPolicy", "kind"],
  });

export type BaseRecipe = z.infer<typeof baseRecipeSchema>;
