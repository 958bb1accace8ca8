export const locomoSplits = ["train", "test"] as const;
export type LocomoSplit = (typeof locomoSplits)[number];

/** Conversations held out in MemUpdate's split: the last three of a shuffle of the ten with Python's seed 42. */
const testConversations: ReadonlySet<string> = new Set(["conv-43", "conv-26", "conv-30"]);

/** Where MemUpdate's split puts a conversation; other conversations than LoCoMo's ten are for training. */
export const locomoSplit = (conversationId: string): LocomoSplit =>
  testConversations.has(conversationId) ? "test" : "train";
