/** Reading of replies and words, which package memory owns, apart from the queues. */
export {
  defaultReplyTags,
  type ReplyTags,
  readReplyAsReleased,
  readTaggedReply,
  type Stretch,
  splitWords,
  stripWhiteSpace,
  type TaggedReply,
} from "@palimpsest/memory/text";
