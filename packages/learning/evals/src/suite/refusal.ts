/**
 * Says "it is not there" in the usual words. A whole reply of "unknown" is a refusal, the word in a sentence is not.
 * Words that also begin an answer ("none", "no") are no refusal.
 */
const phrases = [
  /\b(?:do|did|does|could|can|would)(?:n['’]?t| not) (?:know|tell|say|find|answer|determine|recall|have (?:any|enough|that|this) (?:information|record)|mention|specify|state|provide|contain|include|discuss)\b/,
  /\b(?:can|could)not (?:be )?(?:determined?|found|find|answer(?:ed)?|tell|say|known?)\b/,
  /\bcan['’]?t be (?:determined|found|answered|known)\b/,
  /(?:\b(?:not|never|nowhere)|n['’]t) (?:been |explicitly )?(?:mentioned|stated|specified|provided|discussed|told|said|recorded|known|available)\b/,
  /\b(?:no|not enough|insufficient|lack of) (?:such )?(?:information|mention|record|details?|evidence|data)\b/,
  /\binformation (?:provided |given )?is(?:n['’]t| not) (?:enough|sufficient)\b/,
  /\b(?:unanswerable|not answerable|no way to (?:know|tell))\b/,
];
const alone = /^(?:unknown|n\/a|not? (?:known|available)|no answer)$/;

/** Returns whether a reply says that the text does not contain the answer. An empty reply does not. */
export function refuses(reply: string): boolean {
  const text = reply.toLowerCase().replace(/\s+/g, " ").trim();
  return alone.test(text.replace(/^\W+|\W+$/g, "")) || phrases.some((phrase) => phrase.test(text));
}
