export const locomoSplits = ["train", "test"] as const;
export type LocomoSplit = (typeof locomoSplits)[number];

/** The conversations that MemUpdate's split holds out: the last three of a shuffle of the ten with Python's seed 42. */
const testConversations: ReadonlySet<string> = new Set(["conv-43", "conv-26", "conv-30"]);

/** Returns where MemUpdate's split puts a conversation. Conversations other than LoCoMo's ten are for training. */
export const locomoSplit = (conversationId: string): LocomoSplit =>
  testConversations.has(conversationId) ? "test" : "train";
