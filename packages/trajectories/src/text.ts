/** Reading of replies and words, which package memory owns, apart from the queues. */
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
