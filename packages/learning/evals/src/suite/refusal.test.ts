import { expect, it } from "vitest";
import { refuses } from "./refusal.js";

it.each([
  "I don't know.",
  "Unknown",
  "n/a",
  "Not mentioned in the conversation",
  "There is no information available about a kayak.",
  "You did not mention a kayak, but you did mention a bicycle.",
  "You haven't mentioned that.",
  "It cannot be determined from the chat.",
  "The information provided is not enough; sorry.",
  "Based on the provided chat, there is no information related to this.",
  "I do not have any record of it",
  "This was never mentioned",
  "文中没有提到这件事。",
  "根据这些对话无法确定她住在哪里",
  "未知",
  "没有相关信息。",
])("takes %j as a refusal", (reply) => expect(refuses(reply)).toBe(true));

it.each([
  "",
  "No",
  "None",
  "7",
  "The unknown soldier",
  "You said it does not rain.",
  "Knowing Turin",
  "她未来想当医生",
  "没有，她住在广州",
  "他说明天去上海",
])("does not take %j as one", (reply) => expect(refuses(reply)).toBe(false));
