/** Renamed settings by their former names: an error about a former name gives the current one. */
export const formerNames: Readonly<Record<string, string>> = {
  habits: "scriptedPolicy",
  stretches: "segments",
  stretchSentences: "segmentSentences",
};
