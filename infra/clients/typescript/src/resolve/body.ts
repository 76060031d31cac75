/** Many times the longest answer: 20 items and three texts. */
const BODY_BYTES_MAX = 1_048_576;

/**
 * Reads a whole body as text.
 * @throws Error when it is longer than any answer of the service, or breaks off
 */
export async function readText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    sizeBytes += part.value.byteLength;
    if (sizeBytes > BODY_BYTES_MAX) {
      await reader.cancel();
      throw new Error(`The answer has more than ${BODY_BYTES_MAX} bytes.`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
