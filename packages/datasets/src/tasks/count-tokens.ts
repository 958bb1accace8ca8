/** Counts tokens of a text; give the model's tokenizer where sentences are not all equally long. */
export type CountTokens = (text: string) => number;
