/** Re-exports functions that read texts, replies and words, which the memory package owns, without the queues. */
export {
  conversion,
  fileKind,
  fittingSentences,
  markedEncoding,
  type ReplyTags,
  readReplyAsReleased,
  readTaggedReply,
  splitWords,
  stripWhiteSpace,
  utf8Problem,
  utf8Text,
  words,
} from "@palimpsest/memory/text";
