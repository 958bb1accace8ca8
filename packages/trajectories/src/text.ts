/** Re-exports functions that read replies and words, which the memory package owns, without the queues. */
export {
  defaultReplyTags,
  type ReplyTags,
  readReplyAsReleased,
  readTaggedReply,
  type Segment,
  splitWords,
  stripWhiteSpace,
  type TaggedReply,
} from "@palimpsest/memory/text";
