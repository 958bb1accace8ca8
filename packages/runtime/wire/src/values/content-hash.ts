const sha256Pattern = /^[0-9a-f]{64}$/;
const valueIdPattern = /^[0-9a-f]{40}$/;

/** Whether the text is the SHA-256 of something, in lower-case hexadecimal digits. */
export function isSha256(text: string): boolean {
  return sha256Pattern.test(text);
}

/** Whether the text names an object: by the SHA-256 of its bytes, or by the random name of a value. */
export function isObjectId(text: string): boolean {
  return isSha256(text) || valueIdPattern.test(text);
}
