/** Re-exports functions that read replies and words, which the memory package owns, without the queues. */
export {
  type ReplyTags,
  readReplyAsReleased,
  readTaggedReply,
  splitWords,
  stripWhiteSpace,
} from "@palimpsest/memory/text";
