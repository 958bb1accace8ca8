/** Re-exports functions that read texts, replies and words, which the memory package owns, without the queues. */
export {
  fileKind,
  fittingSentences,
  type ReplyTags,
  readReplyAsReleased,
  readTaggedReply,
  splitWords,
  stripWhiteSpace,
  words,
} from "@palimpsest/memory/text";
export { conversion, utf8Problem, utf8Text, wideEncoding } from "@palimpsest/memory/unicode-text";
