/**
 * Says "it is not there" in the usual words of English and Chinese. A whole reply of "unknown" is a refusal, the word in a sentence is not.
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
  /不知道|不清楚|(?:无法|不能|没法)(?:回答|确定|判断|得知|知道|找到)/,
  /(?:没有|没|并未|未|未曾)(?:被)?(?:明确|具体)?(?:提到|提及|说明|提供|给出|记录|指出)/,
  /(?:没有|缺少|缺乏|不足以?).{0,4}(?:信息|记录|资料|依据)/,
];
const alone = /^(?:unknown|n\/a|not? (?:known|available)|no answer|未知|不详|无答案)$/;

/** Returns whether a reply says that the text does not contain the answer. An empty reply does not. */
export function refuses(reply: string): boolean {
  const text = reply.toLowerCase().replace(/\s+/g, " ").trim();
  return (
    alone.test(text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")) ||
    phrases.some((phrase) => phrase.test(text))
  );
}
