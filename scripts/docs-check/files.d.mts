/** Gives a model of `model init` a chat template, which it has none of. */
export function giveChatTemplate(model: string): void;
