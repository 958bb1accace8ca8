/** Counts the tokens of a text. Pass the model's tokenizer if sentences differ in length. */
export type CountTokens = (text: string) => number;
