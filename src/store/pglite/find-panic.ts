const ERROR_RESPONSE = 'E'.charCodeAt(0);
const HEAD_BYTES = 5;

/**
 * Returns the message of a PANIC in the answers of a PostgreSQL (protocol 3.0, "ErrorResponse"), if there is one. After it PostgreSQL's
 * memory cannot be trusted: a server would end all of its processes and restart from disk.
 */
export function findPanic(answers: Uint8Array): string | undefined {
  const bytes = Buffer.from(answers.buffer, answers.byteOffset, answers.length);
  for (let at = 0; at + HEAD_BYTES <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    if (bytes[at] !== ERROR_RESPONSE) continue;
    const fields = bytes.toString('utf8', at + HEAD_BYTES, at + 1 + bytes.readInt32BE(at + 1)).split('\0');
    if (fields.includes('VPANIC')) return fields.find((field) => field.startsWith('M'))?.slice(1) ?? 'PANIC';
  }
  return undefined;
}
