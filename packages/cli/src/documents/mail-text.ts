import { htmlText } from "./html-text.js";

/** Returns the readable text of an e-mail message: its headers that people read, and its text without attachments. */
export async function mailText(bytes: Uint8Array): Promise<string> {
  const { default: PostalMime } = await import("postal-mime");
  const mail = await PostalMime.parse(Uint8Array.from(bytes));
  const people = (list: readonly { readonly name?: string; readonly address?: string | undefined }[] = []) =>
    list.map(({ name, address }) => (name ? `${name} <${address ?? ""}>` : (address ?? ""))).join(", ");
  const headers = [
    ["From", people(mail.from === undefined ? [] : [mail.from])],
    ["To", people(mail.to)],
    ["Cc", people(mail.cc)],
    ["Date", mail.headers.find(({ key }) => key === "date")?.value ?? ""],
    ["Subject", mail.subject ?? ""],
    ["Attachments", mail.attachments.map(({ filename }) => filename ?? "unnamed").join(", ")],
  ].filter(([, value]) => value !== "");
  const text = mail.text?.trim() || htmlText(mail.html ?? "");
  return `${headers.map(([key, value]) => `${key}: ${value}`).join("\n")}\n\n${text}\n`;
}
