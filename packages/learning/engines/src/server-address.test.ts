import { expect, it } from "vitest";
import { ServerAddress } from "./server-address.js";

it.each([
  ["http://host", "http://host/v1/chat/completions"],
  ["http://host/models", "http://host/v1/chat/completions"],
  ["http://host/v1/chat", "http://host/v1/chat/completions"],
  ["http://host/v1/messages", "http://host/v1/chat/completions"],
  ["http://host/v1beta/openai/models/", "http://host/v1beta/openai/chat/completions"],
  // Azure's own base ends so.
  [
    "https://a.services.ai.azure.com/models?api-version=1",
    "https://a.services.ai.azure.com/models/chat/completions?api-version=1",
  ],
  ["https://azure.com.example/models", "https://azure.com.example/v1/chat/completions"],
])("of a base or of what is pasted: %s", (url, asked) => {
  expect(new ServerAddress(url, "api").at("/chat/completions")).toBe(asked);
});
