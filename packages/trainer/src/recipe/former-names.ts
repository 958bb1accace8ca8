/** Settings that have another name than earlier recipes give them: an error about such a key says the name that it has. */
export const formerNames: Readonly<Record<string, string>> = {
  habits: "scriptedPolicy",
  stretches: "segments",
  stretchSentences: "segmentSentences",
};
