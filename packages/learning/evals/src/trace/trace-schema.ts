import * as z from "zod";

/** The version that this program writes, and the only one that it reads. */
export const traceVersion = 1;

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const count = z.number().min(0);

const recordSchema = z.strictObject({
  id: z.string(),
  content: z.string(),
  memoryType: z.string(),
  speaker: z.string().optional(),
  session: z.string().optional(),
  dialogueTime: z.string().optional(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  source: z.string().optional(),
  provenance: z.array(z.string()),
  metadata: z.record(z.string(), scalar),
});

const conversationSchema = z.strictObject({
  kind: z
    .enum(["memory", "final", "tool"])
    .describe("kind of conversation: a memory update, the answer, or a turn with tools"),
  step: z.int().min(0).describe("index of the conversation within the episode, from 0"),
  promptTokens: count.describe("tokens of the prompt"),
  sampledTokens: count.describe("tokens that the model wrote"),
  stopReason: z
    .enum(["stop", "length", "abort"])
    .describe("why the reply ended; length: it was cut off at its token limit"),
  policyVersion: z.int().min(0).describe("version of the weights that sampled the reply"),
  prompt: z.string().optional().describe("the prompt as text"),
  sampled: z.string().optional().describe("what the model wrote, including markup"),
  promptTokenIds: z.array(z.number()).optional().describe("the prompt as token ids"),
  sampledTokenIds: z.array(z.number()).optional().describe("the sampled token ids"),
  rolloutLogprobs: z
    .array(z.number().nullable())
    .optional()
    .describe(
      "log-probs in nats, one per sampled token; null for tokens whose log-prob the engine does not report",
    ),
  reward: z.number().optional().describe("the step's own reward, if the reward scores steps"),
  advantage: z
    .number()
    .optional()
    .describe("advantage with which the update trained the conversation, if it was trained on"),
  lossMask: z
    .array(z.number())
    .optional()
    .describe("1 for each sampled token that is trained on, otherwise 0; absent: all are trained on"),
  ratios: z
    .array(z.number().nullable())
    .optional()
    .describe(
      "ratios of the policy to the policy before the update, at the last optimizer step, one per sampled token; null for tokens that are not trained on",
    ),
  clipped: z
    .array(z.int().min(0))
    .optional()
    .describe("indices of sampled tokens whose ratio the loss clipped"),
  seconds: count.optional().describe("seconds from the request to the complete reply"),
});

const memoryStepSchema = z.strictObject({
  step: z.int().min(0).describe("step of the conversation that wrote this memory"),
  documentTokenStart: count.describe("first document token that the step read"),
  documentTokenEnd: count.describe("the document token after the last one"),
  section: z.string().optional().describe("the text that the step read"),
  memory: z.string().describe("the memory after the step"),
  head: z
    .int()
    .min(1)
    .optional()
    .describe("the head of the memory that the step has written, from 1; absent: the memory has no heads"),
  written: z
    .boolean()
    .optional()
    .describe("whether the step replaced the memory; absent: the agent has no write gate"),
  exit: z
    .boolean()
    .optional()
    .describe("whether the step ended the reading; absent: the agent has no exit gate"),
  recalled: z.string().describe("what was recalled for this step; empty: nothing"),
  recallQuery: z.string().optional().describe("what the step asked to recall for the next one"),
  found: z.string().optional().describe("what the query found"),
});

const toolCallSchema = z.strictObject({
  step: z.int().min(0).describe("step of the conversation that made the call"),
  name: z.string().describe("name of the tool; empty: the call could not be read"),
  arguments: z.string().describe("the arguments as the model wrote them"),
  result: z.string().optional().describe("what the tool returned; absent: the episode ended first"),
});

/** The schema of a line of a trace file; docs/trace-format.md has its fields. */
export const traceSchema = z.strictObject({
  version: z.literal(traceVersion).describe("version of this format"),
  origin: z.enum(["ask", "eval", "train"]).describe("name of the program that wrote the trace"),
  trajectoryId: z.string().min(1).describe("unique within the file"),
  agent: z.string().describe("name of the agent or system"),
  model: z.string().optional().describe("name of the model and where it ran"),
  run: z.string().optional().describe("name of the training run or evaluation"),
  trainingStep: z
    .int()
    .min(0)
    .optional()
    .describe(
      "training step that trained on the episode; for an evaluation during training the number of steps before it",
    ),
  groupId: z
    .string()
    .optional()
    .describe(
      "id of the group, the episodes of one question that are compared with each other; the evaluations of one question during a run are a group, too",
    ),
  episodeIndex: z.int().min(0).optional().describe("index within the group"),
  task: z
    .strictObject({
      id: z.string(),
      question: z.string(),
      answers: z.array(z.string()).describe("right answers; empty: they are not known"),
      metadata: z.record(z.string(), scalar).optional(),
    })
    .describe("the question"),
  answer: z.string().describe("the final reply, including markup"),
  failure: z.string().optional().describe("why there is no answer"),
  discarded: z.string().optional().describe("why training left the episode out although it was scored"),
  reward: z
    .strictObject({
      total: z.number().describe("the value that training uses"),
      components: z.record(z.string(), z.number()).describe("parts of the reward by name"),
    })
    .optional()
    .describe("absent: the episode was not scored"),
  documentTokens: count.optional().describe("tokens of the whole document"),
  droppedDocumentTokens: count.describe("document tokens that the overflow rule left out"),
  conversations: z.array(conversationSchema).describe("all conversations, in order"),
  memorySteps: z.array(memoryStepSchema).describe("memories after each update, in order"),
  toolCalls: z.array(toolCallSchema).optional().describe("tool calls, in order"),
  storeDiff: z
    .strictObject({
      created: z.array(recordSchema),
      updated: z.array(recordSchema),
      deleted: z.array(z.string()),
    })
    .optional()
    .describe("changes of the memory store during the episode"),
  counters: z.record(z.string(), z.number()).optional().describe("numbers that the agent counted, by name"),
  policyVersionMin: z
    .int()
    .min(0)
    .describe("oldest version of the weights that sampled a part of the episode"),
  policyVersionMax: z
    .int()
    .min(0)
    .describe("newest version of the weights that sampled a part of the episode"),
  weightsHash: z.string().describe("SHA-256 of the weights that sampled last; empty: unknown"),
  startedAtMs: z.number().describe("start in Unix milliseconds"),
  endedAtMs: z.number().describe("end in Unix milliseconds"),
});

/** One trajectory for people and programs: a line of a trace file. */
export type Trace = z.infer<typeof traceSchema>;
/** A conversation as a trace has it. */
export type TraceConversation = z.infer<typeof conversationSchema>;
/** A step of the memory as a trace has it. */
export type TraceMemoryStep = z.infer<typeof memoryStepSchema>;
/** A tool call as a trace has it. */
export type TraceToolCall = z.infer<typeof toolCallSchema>;
