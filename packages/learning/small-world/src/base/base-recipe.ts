import { builtInAgentSchema } from "@palimpsest/agents";
import { worldConfigSchema, worldNames } from "@palimpsest/datasets";
import { z } from "zod";
import { rulerConfigSchema } from "../tasks/ruler-config.js";

const chance = z.number().min(0).max(1);
const { names, values, places, fillers, likesSentence, originSentence, needleQuestion, twoHopQuestion } =
  rulerConfigSchema.shape;

/** The settings that all stages have: the number of steps, the batch, and the learning rate. */
const stage = {
  steps: z.int().min(1).describe("optimizer steps of this stage"),
  batch: z.int().min(1).describe("rows per step"),
  learningRate: z.number().positive().describe("peak learning rate"),
  warmupSteps: z.int().min(0).default(30).describe("steps in which the learning rate rises linearly from 0"),
  decayFrom: chance
    .default(1)
    .describe("fraction of the steps after which the learning rate falls to a twentieth; 1: it never falls"),
};

const stops = {
  stopRight: chance
    .optional()
    .describe("for an agent with an exit gate: probability that a memory with the answer ends the reading"),
  stop: chance.optional().describe("the same for any other memory"),
};

const needlePolicy = z.strictObject({
  kind: z.literal("needle").describe("policy with a memory of one fact, which it keeps or overwrites"),
  answer: chance.describe("probability that a row asks for the answer instead of a memory"),
  emptyMemory: chance.describe("probability that the memory in the prompt is empty"),
  rightMemory: chance.describe(
    "probability that the memory in the prompt is the asked fact; otherwise it is another fact",
  ),
  rightInSection: chance.describe(
    "probability that the section contains the asked fact, unless the memory is that fact",
  ),
  keepBesideRight: chance.describe(
    "if the section contains the asked fact: probability that the memory is kept",
  ),
  writeRight: chance.describe(
    "if the section contains the asked fact: probability that it becomes the memory",
  ),
  keep: chance.describe("if the section does not contain that fact: probability that the memory is kept"),
  ...stops,
});

const twoHopPolicy = z.strictObject({
  kind: z
    .literal("two-hop")
    .describe("policy with a memory of up to two facts, the second of which it adds to the first"),
  answer: chance.describe("probability that a row asks for the answer instead of a memory"),
  emptyMemory: chance.describe("probability that the memory in the prompt is empty"),
  oneFact: chance.describe(
    "probability that the memory in the prompt has one fact; if it is not empty either, it has two",
  ),
  ownFact: chance.describe(
    "probability, for each fact in the memory, that it belongs to the chain that answers the question",
  ),
  nextInSection: chance.describe(
    "probability that the section contains the chain's next fact, the one that the memory lacks",
  ),
  keepBesideNext: chance.describe(
    "if the section contains the next fact: probability that the memory is kept",
  ),
  takeNext: chance.describe(
    "if the section contains the next fact: probability that it is written to the memory",
  ),
  keep: chance.describe("if the section does not contain that fact: probability that the memory is kept"),
  ...stops,
});

const lookBackPolicy = z.strictObject({
  kind: z
    .literal("look-back")
    .describe(
      "policy with a memory of one fact that can also query earlier memories and read what is recalled",
    ),
  answer: chance.describe("probability that a row asks for the answer instead of a memory"),
  emptyMemory: chance.describe("probability that the memory in the prompt is empty"),
  nameInMemory: chance.describe("probability that the memory in the prompt is the fact about the asked name"),
  recalled: chance.describe("probability that the prompt contains a recalled memory"),
  nameInSection: chance.describe(
    "probability that the section contains the fact about the asked name, unless the memory is that fact",
  ),
  writeName: chance.describe(
    "if the section contains the fact about the asked name: probability that it becomes the memory",
  ),
  keepName: chance.describe("if the memory is about the asked name: probability that it is kept"),
  keep: chance.describe(
    "if neither the memory nor the section is about the asked name: probability that the memory is kept",
  ),
  askForName: chance.describe(
    "if the new memory is about the asked name: probability of a query for the thing that it mentions",
  ),
  ask: chance.describe("for any other new memory: probability of a query for the thing that it mentions"),
  answerRecalled: chance.describe("if a memory was recalled: probability that the answer is taken from it"),
});

const { cast, bait, distance, wordings } = worldConfigSchema.shape;

const worldPolicy = z.strictObject({
  kind: z.literal("world").describe("policy that reads worlds and remembers what their question needs"),
  worlds: z
    .array(z.enum(worldNames as readonly [string, ...string[]]))
    .min(1)
    .describe("names of the worlds"),
  sentences: z
    .strictObject({ min: z.int().min(16), max: z.int().min(16) })
    .describe("sentences per text, drawn for each row"),
  difficulty: z.strictObject({ cast, bait, distance, wordings }).prefault({}),
  answer: chance.describe("probability that a row asks for the answer instead of a memory"),
  changes: chance.describe(
    "probability that the section is one that changes what has to be remembered; of both, every kind of event is equally frequent",
  ),
  follow: chance.describe(
    "probability that the new memory is what follows from the section; otherwise it is as before, or a word of the section",
  ),
});

const storePolicy = z.strictObject({
  kind: z
    .literal("store")
    .describe("policy of the agent memupdate, which searches, writes and deletes in a small store"),
  people: z.int().min(2).describe("people about whom a store has a record"),
  search: chance.describe(
    "probability that the first call searches for the person whom the statement is about",
  ),
  searchOther: chance.describe("probability that the first call searches for somebody else"),
  createUnseen: chance.describe(
    "probability that the first call creates a record; otherwise the episode ends at once",
  ),
  right: chance.describe(
    "after a search: probability of the call that is right for the results; otherwise it is any other call",
  ),
  stop: chance.describe("after a change: probability that the episode ends; otherwise another call follows"),
});

const streamPolicy = z.strictObject({
  kind: z
    .literal("stream")
    .describe("policy of the agent memupdate, which writes down a stream while it is told"),
  turns: z.int().min(1).describe("turns of a stream"),
  told: z.int().min(2).describe("names that a stream has facts about"),
  takeBack: z.string().min(1).describe("statement after which nothing is known of {subject}"),
  chat: z.string().min(1).describe("sentence with {subject} and {value} that states no fact"),
  right: chance.describe("probability of the call that a turn requires; otherwise it is any other call"),
});

/** The recipe of a base model: a world of words, a tokenizer for it, random weights, and three supervised stages. */
export const baseRecipeSchema = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9-]{0,62}$/,
        "must be 1 to 63 lower-case letters, digits and dashes, beginning with a letter or a digit",
      )
      .describe("name of the base model"),
    seed: z.int().min(0).default(1).describe("seed of the initial weights and of the training rows"),
    threads: z.int().min(1).default(2).describe("compute threads"),
    agent: builtInAgentSchema.describe("the agent whose prompts the base model learns to follow"),
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
      .describe(
        "words and sentence forms of the question generator; a training run on this base must use the same",
      ),
    tokenizer: z
      .strictObject({
        vocabSize: z
          .int()
          .min(2)
          .describe("largest number of token ids; it must be enough for every word to be one token"),
      })
      .describe("byte-level BPE tokenizer, trained on the generated texts"),
    model: z.strictObject({
      hiddenSize: z.int().min(1).describe("width of the residual stream"),
      layers: z.int().min(1).describe("decoder blocks"),
      heads: z.int().min(1).describe("attention heads; queries, keys and values have the same number"),
      headDim: z.int().min(2).multipleOf(2).describe("width of one head"),
      intermediateSize: z.int().min(1).describe("width of the gated feed-forward layer (SwiGLU)"),
      maxPositions: z.int().min(2).describe("longest sequence in tokens"),
      projectionStd: z.number().positive().describe("standard deviation of the initial projection weights"),
    }),
    repeat: z
      .strictObject({
        ...stage,
        minLength: z.int().min(1).describe("shortest string in tokens"),
        maxLength: z.int().min(1).describe("longest string in tokens"),
        rowTokens: z.int().min(2).describe("tokens per row"),
      })
      .describe("first stage: learns to copy random strings"),
    recall: z
      .strictObject({
        ...stage,
        facts: z.int().min(2).describe("facts that a row states"),
        questions: z.int().min(1).describe("facts that a row asks for"),
        originFraction: chance
          .default(0)
          .describe(
            "fraction of the facts that state where a value is from; the others state what a name likes",
          ),
      })
      .describe("second stage: learns to look up names among facts"),
    format: z
      .strictObject({
        ...stage,
        fillerFraction: chance.describe("fraction of a section's sentences that state no fact"),
        scriptedPolicy: z
          .discriminatedUnion("kind", [
            needlePolicy,
            twoHopPolicy,
            lookBackPolicy,
            worldPolicy,
            storePolicy,
            streamPolicy,
          ])
          .describe("probabilities of what a policy does that does not know which fact is rewarded"),
      })
      .describe("third stage: learns to follow the agent's prompts, but not which fact is rewarded"),
  })
  .refine(
    ({ agent, format }) =>
      (agent.kind === "memupdate") === ["store", "stream"].includes(format.scriptedPolicy.kind),
    {
      error:
        "use the kinds store and stream with the agent memupdate, and the other kinds with agents that read a document",
      path: ["format", "scriptedPolicy", "kind"],
    },
  );

export type BaseRecipe = z.infer<typeof baseRecipeSchema>;
